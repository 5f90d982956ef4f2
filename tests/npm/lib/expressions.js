// The expressions of the table.

/** Values of every kind, combined in pairs with each operator. */
export const operands = [
    'undefined', 'null', 'true', 'false', '0', '1', '-1.5', 'NaN', "''", "'0'", "'1'", "'a'", "' 1 '",
    '[]', '[1]', "['a', 'b']", 'visitor.claims',
];

export const operators = ['==', '===', '<', '<=', '>', '+', '-', '%', 'in'];

const lines = String.raw`
1
1.5
.5
5.
1e3
1E-3
1e+2
0x1F
0XfF
0b101
0o17
1_000
1_0.0_1
0.1 + 0.2
1e21
1e-7
123456789012345680000
1e400
9007199254740993
0xffffffffffffffff
1__0
1_
0_1
08
1e
0x
0b2
1.5.2
3in
1n
"a"
'a'
'a"b'
"a\"b"
'\n\t\b\v\f\r\0'
'\x41\u0042\u{43}'
'\u{1F600}'
'\ud83d'
'\ud83d' + '\ude00'
'\ud83d\ude00' == '😀'
'\q'
'\1'
'\08'
'\x4'
'\u{110000}'
'\u{}'
'open
"open
'a
b'
${"`a`"}
${"`a${1 + 1}b`"}
${"`${'x'}${`y${2}`}`"}
${"`$ { } $x ${[1, 2]}`"}
${"`\\``"}
${"`\\u0041\\n`"}
${"`open"}
${"`${`"}
${"`${1 2}`"}
${"`${null} ${undefined} ${true} ${visitor.claims}`"}
true
false
null
undefined
NaN
Infinity
-Infinity
[]
[1, 'a', [true], null, undefined]
[1, 2,]
[1 2]
[
]
(1)
((1))
()
(1
1)
1 2
1 +
+
!
!!1
!''
!'a'
![]
!visitor.claims.plan
!!NaN
!!-0
!!'0'
!![]
!!visitor.claims
NaN ? 1 : 2
NaN || 1
NaN && 1
!!visitor.claims.nothing
-'5'
+'5'
+'0x1f'
+'0b11'
+'0o7'
+'-0x1'
+'1e3'
+' \n12\t'
+'1_000'
+'Infinity'
+'-Infinity'
+'infinity'
+'inf'
+'nan'
+'1,5'
+''
+' '
+'.'
+'.5'
+'5.'
+'+5'
+'--5'
+[]
+[5]
+['7']
+[1, 2]
+visitor.claims
+null
+undefined
+true
-0
- -1
+-1
-+1
--1
++1
1--1
1- -1
1 - -1
1+ +1
!-1
-!1
1 + 2 * 3
(1 + 2) * 3
10 - 2 - 3
100 / 10 / 2
2 * 3 % 4
7 % 3
-7 % 3
7 % -3
5.5 % 2
5 % 0
1 / 0
-1 / 0
0 / 0
2 ** 3
1 << 2
8 >> 1
5 & 1
5 | 1
5 ^ 1
~1
1 + '2'
'1' + 2
1 + 2 + '3'
'3' + 1 + 2
1 + null
1 + undefined
1 + true
'a' + null
'a' + undefined
'a' + [1, 2]
'a' + visitor
[] + []
[1] + [2]
'5' * '2'
'5' - 2
'a' * 1
1 < 2
2 < 1
'a' < 'b'
'B' < 'a'
'10' < '9'
'10' < 9
'a' < 'ab'
'' < 'a'
'😀' < '￿'
'é' < 'z'
null < 1
undefined < 1
NaN < NaN
NaN >= NaN
[2] > 1
1 < 2 < 3
3 > 2 > 1
1 == 1
1 == '1'
1 === '1'
'a' == 'a'
'a' === 'a'
null == undefined
null === undefined
null == 0
undefined == 0
NaN == NaN
NaN != NaN
0 == -0
0 === -0
'' == 0
'0' == false
[] == ''
[] == false
[1] == 1
[1, 2] == '1,2'
[] == []
visitor.claims.groups === visitor.claims.groups
visitor.claims == visitor.claims
visitor.claims == '[object Object]'
space.vars.version == 5.8
space.vars.version === '5.8'
space.vars.version === 5.8
1 == 1 == 1
1 !== '1'
1 != '1'
1 = 1
a = 1
1 => 2
true && 'x'
false && 'x'
0 && 1
'' || 'x'
'a' || 'x'
null ?? 'x'
undefined ?? 'x'
0 ?? 'x'
'' ?? 'x'
false ?? 'x'
1 && 2 || 3
0 && 2 || 3
1 || 2 && 0
null ?? (0 || 1)
(null ?? 0) || 1
null ?? 0 || 1
0 || null ?? 1
1 && null ?? 1
null ?? 1 && 2
true || unknown
false && unknown
false || unknown
unknown
unknown.x
true ? 1 : 2
false ? 1 : 2
1 ? 2 ? 'a' : 'b' : 'c'
0 ? 1 : 0 ? 2 : 3
true ? false ? 1 : 2 : 3
1 ? 2
1 ? : 2
true?.5:1
false ?.5:1
null?.x
undefined?.x.y.z
visitor.claims.plan
visitor.claims["plan"]
visitor.claims['pl' + 'an']
visitor["claims"].plan
visitor?.claims?.plan
visitor.claims?.["plan"]
visitor.claims.missing
visitor.claims.missing?.deeper
visitor.claims.missing?.deeper.still
visitor.claims.missing?.deeper.includes('x')
visitor.claims.missing?.includes('x')
visitor.claims.missing?.[1]
(visitor.claims.missing?.deeper)
visitor.claims.nothing?.x
visitor.claims.nothing ?? 'none'
visitor.claims.nested.list[0].id
visitor.claims.nested.list['1'].on
visitor.claims.nested.list["01"]
visitor.claims.nested.list[1.0].id
visitor.claims.nested.list[-1]
visitor.claims.nested.list[5]
visitor.claims.nested.list.length
visitor.claims.nested["with-dash"]
visitor.claims.nested.with-dash
visitor.claims.unsigned.language
visitor.claims.unsigned.missing
visitor.claims.groups
visitor.claims.groups[1]
visitor.claims.groups.length
visitor.claims.groups.length > 2
visitor.claims.new
visitor.claims.class
visitor.claims.if
visitor.
visitor.claims.
visitor..claims
visitor.claims.1
visitor[claims]
visitor.claims[
visitor . claims
.plan
 visitor.claims.plan == 'pro'${" "}
visitor.claims.plan=='pro'&&visitor.claims.age>40
visitor.claims.age >= 18 && visitor.claims.age < 65
visitor.claims.verified === true
visitor.claims.verified == 'true'
visitor.claims.verified == 1
visitor.claims.age == '42'
page.vars.level == 2
page.vars.level + 1
page.vars.level * 1 + 1
page.vars.empty || 'none'
page.vars.zero || 'none'
page.vars.zero ?? 'none'
page.vars.missing ?? space.vars.version
space.vars.major + '.x'
space.vars.beta ? 'beta' : 'stable'
${"`v${space.vars.version} (${space.vars.major})`"}
'plan' in visitor.claims
'missing' in visitor.claims
'length' in visitor.claims.groups
0 in visitor.claims.groups
3 in visitor.claims.groups
'0' in visitor.claims.groups
0 in [undefined]
'a' in 'abc'
'a' in 5
'a' in null
'a' in undefined
!('plan' in visitor.claims)
!'plan' in visitor.claims
'abc'[0]
'abc'[3]
'abc'[-1]
'abc'['1']
'abc'.length
'abc'["length"]
'😀'.length
'😀'[0]
space.vars.emoji.length
space.vars.emoji[1]
(5).length
true.length
(5)[0]
'abc'.includes('b')
'abc'.includes('d')
'abc'.includes('')
'abc'.includes('a', 1)
'abc'.includes('c', -5)
'abc'.includes('c', 99)
'abc'.includes('', 99)
'abc'.includes()
'undefined'.includes()
'a1b'.includes(1)
'null'.includes(null)
'abc'.includes(['b'])
'abc'.includes(NaN)
'abc'.startsWith('a')
'abc'.startsWith('b')
'abc'.startsWith('b', 1)
'abc'.startsWith('')
'abc'.startsWith('', 9)
'abc'.startsWith('abcd')
'abc'.startsWith('a', NaN)
'abc'.startsWith('a', Infinity)
'abc'.endsWith('c')
'abc'.endsWith('b')
'abc'.endsWith('b', 2)
'abc'.endsWith('')
'abc'.endsWith('c', 99)
'abc'.endsWith('a', -1)
'abc'.endsWith('', -1)
'abc'.indexOf('b')
'abc'.indexOf('d')
'abcabc'.indexOf('b', 2)
'abc'.indexOf('')
'abc'.indexOf('', 2)
'abc'.indexOf('', 99)
'abc'.indexOf('a', -1)
'aaa'.indexOf('aa', 1)
'aab'.indexOf('ab')
'abc'.slice(1)
'abc'.slice(0, 2)
'abc'.slice(-2)
'abc'.slice(-2, -1)
'abc'.slice(2, 1)
'abc'.slice()
'abc'.slice(undefined, 2)
'abc'.slice(null, 2)
'abc'.slice('1')
'abc'.slice(1.9)
'abc'.slice(-1.9)
'abc'.slice(NaN)
'abc'.slice(Infinity)
'abc'.slice(-Infinity)
'abc'.slice(0, -99)
'a😀b'.slice(0, 2)
'a😀b'.slice(1, 3)
'ABC'.toLowerCase()
'abc'.toUpperCase()
'ÀÉ'.toLowerCase()
'straße'.toUpperCase()
'İ'.toLowerCase()
'ΣΑΣ'.toLowerCase()
'ΟΔΟΣ Σ'.toLowerCase()
'ŉ'.toUpperCase()
'a\ud800B'.toUpperCase()
'a\ud800B'.toLowerCase()
'abc'.toLowerCase(1, 2)
' a b '.trim()
'\t\n\v\f\r a\u00a0\ufeff\u2028'.trim()
'\u180ea'.trim()
'\u0085a'.trim()
''.trim()
'   '.trim()
space.vars.spaced.trim().split(' ')
'a,b,c'.split(',')
'a,b,c'.split(',', 2)
'a,b,c'.split(',', 0)
'a,b,c'.split(',', -1)
'a,b,c'.split(',', 4294967297)
'a,b,c'.split(',', NaN)
'a,b,c'.split(',', undefined)
'a,b,c'.split(',', null)
'abc'.split('')
'abc'.split('', 2)
'a😀'.split('')
''.split('')
''.split(',')
'abc'.split()
'abc'.split(undefined, 0)
',a,'.split(',')
'a--b-c'.split('--')
'a1b'.split(1)
'anullb'.split(null)
'a,b'.split(',').length
[1, 2, 3].includes(2)
[1, 2, 3].includes('2')
[NaN].includes(NaN)
[NaN].indexOf(NaN)
[undefined].includes()
[null].includes(undefined)
[0].includes(-0)
[[1]].includes([1])
[1, 2, 3].includes(1, 1)
[1, 2, 3].includes(3, -1)
[1, 2, 3].includes(1, -99)
[1, 2, 3].indexOf(2)
[1, 2, 3].indexOf('2')
[1, 2, 1].indexOf(1, 1)
[1, 2, 1].indexOf(1, -1)
[1, 2, 1].indexOf(1, 99)
[1, 2, 3].slice(1)
[1, 2, 3].slice(-2, -1)
[1, 2, 3].slice()
[1, 2, 3].slice(3, 1)
[1, 2, 3].join()
[1, 2, 3].join('-')
[1, 2, 3].join('')
[1, 2, 3].join(0)
[1, 2, 3].join(null)
[1, 2, 3].join(undefined)
[null, undefined, 'a', [1, [2]], true].join('|')
[].join()
[[[]]].join()
[1, 2].toString()
[1, 2].length
[1, 2]['length']
[1, 2][0]
[1, 2]['0']
[1, 2][2]
[1, 2][1 - 1]
[[1, 2], [3]][0][1]
[1, 2, 3].every(x => x > 0)
[1, 2, 3].every(x => x > 1)
[].every(x => false)
[1, 2, 3].some(x => x > 2)
[1, 2, 3].some(x => x > 3)
[].some(x => true)
[1, 2, 3].map(x => x * 2)
[1, 2, 3].map((x) => x * 2)
[1, 2, 3].map((x, i) => x * i)
[1, 2, 3].map((x, i, all) => all.length - i)
[1, 2, 3].map((x, i, all, none) => none)
[1, 2, 3].map(() => 0)
[1, 2, 3].map((x,) => x)
[1, 2, 3].map(x => [x])
[1, 2, 3].map(x => x > 1 ? 'a' : 'b')
[1, 2, 3].filter(x => x % 2)
[1, 2, 3].filter(x => x > 1).map(x => x + 1).join('+')
[1, 2, 3].find(x => x > 1)
[1, 2, 3].find(x => x > 3)
['a', 'b'].map(x => x.toUpperCase())
[[1, 2], [3, 4]].map(x => x.map(y => y * 2))
[[1, 2], [3, 4]].map(x => x.map(y => x.length + y))
[1, 2].map(x => [3, 4].map(x => x))
[1, 2].map(x => [3, 4].some(y => x + y == 5))
[1].map(visitor => visitor)
[1].map((x, x) => x)
[1].map(x => { return x })
[1].map(x
=> x)
[1].map(new => 1)
[1].map(this => 1)
[1].map(x => y)
[1].map(1)
[1].map()
[].map(1)
[1].every('x')
[1].map(x => x, 2)
[1].map((x => x))
[1].map(true ? x => x : 1)
'abc'.map(x => x)
'a'.concat('b')
'abc'.foo()
(5).trim()
null.trim()
undefined.trim()
[1].trim()
[1].split(',')
'a'.join()
visitor.claims.trim()
visitor.claims.plan()
visitor.claims.plan.includes('ro')
visitor.claims.plan.toUpperCase() === 'PRO'
visitor.claims.groups.includes('admin')
visitor.claims.groups.includes('Admin')
visitor.claims.groups.some(g => g.startsWith('é'))
visitor.claims.groups.map(g => g.length)
visitor.claims.groups.filter(g => g != 'beta').join(', ')
visitor.claims.groups?.includes('beta')
visitor.claims.groups.includes?.('beta')
visitor.claims.groups.missing?.('beta')
visitor.claims.nested.list.find(x => x.on).id
visitor.claims.nested.list.every(x => x.id > 0)
visitor.claims.nested.list.map(x => x.on ? x.id : null)
visitor.claims.groups["includes"]('beta')
visitor.claims['groups']['inclu' + 'des']('beta')
['pro', 'team'].includes(visitor.claims.plan)
(visitor.claims.groups.includes)('beta')
(x => x)(1)
includes('a')
'a'()
[1]()
1()
new visitor()
this
this.x
typeof 1
void 0
delete visitor.claims
function () {}
class {}
async x => x
await 1
yield
let
visitor instanceof visitor
1, 2
1;
1; 2
;
{}
{a: 1}
({a: 1})
...[1]
[...[1]]
[, 1]
[1, , 2]
/a/
/a/.test('a')
#
@
\u0061
a.#b
visitor.claims.plan = 'x'
visitor.claims.age++
visitor.claims.age += 1
visitor.claims.x ??= 1
visitor.claims.plan == 'pro' ? 'a' : 'b' ? 'c' : 'd'
visitor.claims.plan${"`x`"}
'a' 'b'
"a\
b"
1${" "}+${"\t"} 1
1${"\u00a0"}+ 1
1${"\ufeff"}+ 1
ünknown
$
_
$x_1
é == é
`;

export const written = [
    ...lines.slice(1, -1).split('\n'),
    '1\n+ 1',
    "'a\nb'",
    '"a\\\nb"',
    '"a\\\r\nb"',
    '`a\r\nb`',
    "'\u2028'",
    '[1].map(x\n=> x)',
    'visitor\n.claims\n?.plan',
];
