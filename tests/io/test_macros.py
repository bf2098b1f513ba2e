"""Macro files (xacro) written out: what they become, that it is what the xacro package makes, and what is refused."""

import os
from pathlib import Path

import pytest

import linkwright as lw
from linkwright.io.markup import Element, read_elements
from linkwright.io.mesh_paths import MeshFiles
from linkwright.io.urdf.macro_expressions import evaluate, literal
from linkwright.io.urdf.macros import expand

HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'

LEGS = HEAD + """
  <xacro:arg name="prefix" default="my_"/>
  <xacro:property name="width" value="0.2"/>
  <xacro:property name="half" value="${width / 2}"/>
  <xacro:property name="steel"><material name="steel"><color rgba="0.6 0.6 0.7 1"/></material></xacro:property>
  <xacro:macro name="inertial" params="m x:=0.1 *origin">
    <inertial><xacro:insert_block name="origin"/><mass value="${m}"/>
      <inertia ixx="${m * x**2 / 12}" ixy="0" ixz="0" iyy="${m * x**2 / 6}" iyz="0" izz="${m * (x**2 + 0.01) / 12}"/>
    </inertial>
  </xacro:macro>
  <xacro:macro name="leg" params="side sign prefix:=^|none knee:='' **inner">
    <link name="${prefix}${side}_thigh">
      <xacro:inertial m="${2 if sign > 0 else 3}" x="${half}"><origin xyz="${half} ${sign*half} 0" rpy="0 0 ${pi/2}"/>
      </xacro:inertial>
      <visual><geometry><box size="${width} ${half} ${-sign * -half * sign}"/></geometry>
        <xacro:insert_block name="steel"/></visual>
      <xacro:insert_block name="inner"/>
    </link>
    <joint name="${prefix}${side}_hip" type="revolute">
      <parent link="base"/><child link="${prefix}${side}_thigh"/>
      <origin xyz="0 ${sign * width} 0"/><axis xyz="0 1 0"/>
      <limit lower="${radians(-90)}" upper="${max(1.0, half)}" effort="10" velocity="$(optenv NO_SUCH_VARIABLE 3)"/>
    </joint>
    <xacro:unless value="${knee == ''}"><link name="${knee}"/></xacro:unless>
    <xacro:if value="${sign > 0 and side in ['left', 'front']}"><gazebo reference="${prefix}${side}_thigh"/></xacro:if>
  </xacro:macro>
  <xacro:property name="prefix" value="$(arg prefix)"/>
  <link name="base"><xacro:inertial m="4"><origin xyz="0 0 0"/></xacro:inertial></link>
  <xacro:leg side="left" sign="1">
    <c><collision><geometry><sphere radius="${width}"/></geometry></collision></c>
  </xacro:leg>
  <xacro:call macro="leg" side="right" sign="${-1}"><c/></xacro:call>
  <link name="$${kept}"/>
</robot>
"""


def written(tmp_path: Path, text: str, **arguments: object) -> Element:
    file = tmp_path / "r.urdf.xacro"
    file.write_text(text)
    return expand(file, arguments, MeshFiles(file))


def outline(element: Element) -> tuple:
    """Tag, attributes and children; numbers as numbers."""
    def values(text: str) -> list:
        return [literal(word) for word in text.split()]

    attributes = {key: values(value) for key, value in element.attributes.items() if not key.startswith("xmlns")}
    return element.tag, attributes, values(element.text), [outline(child) for child in element.children]


def test_it_becomes_what_the_xacro_package_makes_of_it(tmp_path):
    xacro = pytest.importorskip("xacro")
    ours = written(tmp_path, LEGS)
    theirs = read_elements(tmp_path / "r.urdf.xacro", xacro.process_file(str(tmp_path / "r.urdf.xacro")).toxml())
    assert outline(ours) == outline(theirs)


def test_a_robot_is_read_with_its_arguments(tmp_path):
    (tmp_path / "r.urdf.xacro").write_text(LEGS.replace('<link name="$${kept}"/>', ""))
    m = lw.read(tmp_path / "r.urdf.xacro", args={"prefix": "a_"})
    assert float(m.a_left_thigh.m) == 2.0 and float(m.a_right_thigh.m) == 3.0
    assert m.a_left_hip.phi_min == pytest.approx(-1.5707963)
    with pytest.raises(lw.ModelError, match=r"no argument 'prefiks'; it has prefix"):
        lw.read(tmp_path / "r.urdf.xacro", args={"prefiks": "a_"})


def test_a_file_includes_others_of_its_package_and_none_outside(tmp_path):
    package = tmp_path / "robot_description"
    (package / "inc").mkdir(parents=True)
    (package / "inc" / "sizes.xacro").write_text(HEAD + '<xacro:property name="m" value="2"/></robot>')
    text = HEAD + '<xacro:include filename="$(find robot_description)/inc/sizes.xacro"/><link name="l_${m}"/></robot>'
    assert written(package, text).children[0].attributes["name"] == "l_2"
    (tmp_path / "secret.xacro").write_text(HEAD + "</robot>")
    with pytest.raises(lw.ModelError, match="leads out of the model's folder"):
        written(package, text.replace("$(find robot_description)/inc/sizes.xacro", "../secret.xacro"))


def test_an_error_names_the_line_in_the_file_that_holds_it(tmp_path):
    (tmp_path / "r.urdf.xacro").write_text(LEGS.replace('value="${m}"', 'value="heavy"').replace("$${kept}", "x")
                                           .replace('<link name="x"/>', ""))
    with pytest.raises(lw.ModelError, match=r"r.urdf.xacro, line 7, <mass>: value is 1 number; got 'heavy'"):
        lw.read(tmp_path / "r.urdf.xacro")


@pytest.mark.parametrize(("text", "says"), [
    ('<link name="${a}"/>', r"there is no property 'a'"),
    ('<link name="${1 +}"/>', "is no expression"),
    ('<link name="${1/0}"/>', "division by zero"),
    ('<link name="${9**9**9}"/>', "power"),
    ("<link name=\"${'a' * 10**9}\"/>", "not multiplied"),
    ("<link name=\"${().__class__}\"/>", "no '__class__'"),
    ("<link name=\"${open('x')}\"/>", "there is no property 'open'"),
    ("<link name=\"${__import__('os')}\"/>", "there is no property '__import__'"),
    ("<link name=\"${[x for x in [1]]}\"/>", "not allowed"),
    ('<link name="$(arg a)"/>', r"args="),
    ('<link name="$(find nobody)"/>', "there is no package 'nobody'"),
    ('<link name="$(rm x)"/>', "is not known here"),
    ('<xacro:leg/>', "there is no macro 'leg'"),
    ('<xacro:macro name="a" params="x"><link/></xacro:macro><xacro:a/>', "needs the attribute 'x'"),
    ('<xacro:macro name="a" params="x"><link/></xacro:macro><xacro:a x="1" y="2"/>', "no parameter 'y'"),
    ('<xacro:macro name="a" params="*x"><link/></xacro:macro><xacro:a/>', "needs a block 'x'"),
    ('<xacro:macro name="a"><xacro:a/></xacro:macro><xacro:a/>', "100 deep"),
    ('<xacro:property name="a" value="${b}"/><xacro:property name="b" value="${a}"/><link name="${a}"/>', "by itself"),
    ('<xacro:if value="perhaps"><link/></xacro:if>', "true, false or a number"),
    ('<xacro:include filename="r.urdf.xacro"/>', "includes itself"),
    ('<xacro:insert_block name="b"/>', "there is no block 'b'"),
])
def test_what_is_wrong_is_said_with_its_line(tmp_path, text, says):
    with pytest.raises(lw.ModelError, match=says) as caught:
        written(tmp_path, HEAD + text + "</robot>")
    assert "r.urdf.xacro, line 1" in str(caught.value)


def test_macros_that_double_are_bounded(tmp_path):
    double = "".join(f'<xacro:macro name="m{k}"><xacro:m{k - 1}/><xacro:m{k - 1}/></xacro:macro>' for k in range(1, 40))
    with pytest.raises(lw.ModelError, match="more than 200000 elements"):
        written(tmp_path, HEAD + '<xacro:macro name="m0"><a/></xacro:macro>' + double + "<xacro:m39/></robot>")


@pytest.mark.parametrize(("text", "value"), [
    ("2 * pi", 6.283185307179586), ("[1, 2, 3][1]", 2), ("table['a'].b", 5), ("'x' if flag else 'y'", "y"),
    ("1 < 2 <= 2", True), ("not flag and 3", 3), ("min(3, abs(-2))", 2), ("'a,b'.split(',')[1]", "b"),
    ("math.cos(0)", 1.0), ("7 // 2 + 7 % 2", 4), ("{'k': 1}['k']", 1), ("-2 ** 2", -4),
])
def test_expressions_have_pythons_values(text, value):
    assert evaluate(text, {"table": {"a": {"b": 5}}, "flag": False}.__getitem__) == value


@pytest.mark.slow
def test_public_macro_files_become_what_the_xacro_package_makes_of_them():
    """All .xacro files below LINKWRIGHT_XACRO that need no package of ROS."""
    folder = os.environ.get("LINKWRIGHT_XACRO")
    xacro = pytest.importorskip("xacro")
    if folder is None:
        pytest.skip("LINKWRIGHT_XACRO is not set")
    compared = 0
    for file in sorted(Path(folder).rglob("*.xacro")):
        try:
            theirs = read_elements(file, xacro.process_file(str(file)).toxml())
        except Exception:  # packages of ROS, arguments without a default, files that are not there
            continue
        assert outline(expand(file, {}, MeshFiles(file, [folder]))) == outline(theirs), file
        compared += 1
    assert compared
