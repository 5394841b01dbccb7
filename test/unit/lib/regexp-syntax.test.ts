import { expect } from 'chai'
import { regexpFault } from '../../../src/lib/regexp-syntax.ts'

/** Expressions that RE2 accepts (https://github.com/google/re2/wiki/Syntax). */
const good = [
  ...[
    '',
    'a',
    'a|b',
    '(a)',
    '(?:a)',
    '(?i)a',
    '(?i-s:a)',
    '(?P<n>a)',
    '(?<n>a)',
    'a*',
    'a+?',
    'a{2}',
    'a{2,}',
    'a{2,3}?',
    '^*',
    'a{',
    'a{,2}',
  ],
  ...[
    '[a-z]',
    '[^]a]',
    '[]a]',
    '[a-]',
    '[-a]',
    '[[:alpha:]]',
    '[^[:^digit:]x]',
    '[\\d\\-]',
    '\\pL',
    '\\p{Greek}',
    '\\P{Lu}',
    '[\\p{Han}]',
    '\\Qa(\\E',
    '\\Q((',
  ],
  ...['\\.', '\\-', '\\x41', '\\x{1F600}', '\\07', '\\012', '\\a\\f\\n\\r\\t\\v', '\\A\\b\\B\\z', '😀+', 'a||b', '()', '(|a)'],
  '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
]

/** Expressions that it rejects, with Go's errors. */
const bad: Record<string, string> = {
  'a(': 'missing closing ): `a(`',
  'a)': 'unexpected ): `a)`',
  '(?i': 'missing closing ): `(?i`',
  '*': 'missing argument to repetition operator: `*`',
  '(*)': 'missing argument to repetition operator: `*`',
  'a|+?': 'missing argument to repetition operator: `+?`',
  'a**': 'invalid nested repetition operator: `**`',
  'a*+': 'invalid nested repetition operator: `*+`',
  'a{2}{3}': 'invalid nested repetition operator: `{2}{3}`',
  'a{1001}': 'invalid repeat count: `{1001}`',
  'a{3,2}': 'invalid repeat count: `{3,2}`',
  '[a': 'missing closing ]: `[a`',
  'x[]': 'missing closing ]: `[]`',
  '[z-a]': 'invalid character class range: `z-a`',
  '[[:word1:]]': 'invalid character class range: `[:word1:]`',
  '\\p{Nothing}': 'invalid character class range: `\\p{Nothing}`',
  '\\pX': 'invalid character class range: `\\pX`',
  '\\': 'trailing backslash at end of expression: ``',
  '\\1': 'invalid escape sequence: `\\1`',
  '\\y': 'invalid escape sequence: `\\y`',
  '[\\y]': 'invalid escape sequence: `\\y`',
  '\\xg': 'invalid escape sequence: `\\xg`',
  '(?=a)': 'invalid or unsupported Perl syntax: `(?=`',
  '(?!a)': 'invalid or unsupported Perl syntax: `(?!`',
  '(?P<n': 'invalid named capture: `(?P<n`',
  '(?P<a b>x)': 'invalid named capture: `(?P<a b>`',
}

describe('regular expressions of patterns', () => {
  for (const text of good) it(`accepts ${JSON.stringify(text)}`, () => expect(regexpFault(text)).to.equal(undefined))
  for (const [text, fault] of Object.entries(bad)) it(`rejects ${JSON.stringify(text)}`, () => expect(regexpFault(text)).to.equal(fault))
  it('rejects deeply nested groups', () => expect(regexpFault('('.repeat(2000))).to.match(/^expression nests too deeply/))
  it('takes time linear in the expression', () => expect(regexpFault(`${'(a*)*'.repeat(1000)}`)).to.equal(undefined))

  for (const text of ['x'.repeat(20_000), '((a{100}){10}){11}', '(?:a|b{1,1000}){1000}', '[^\\pL]'.repeat(1000)])
    it(`rejects ${text.slice(0, 30)}, whose program would be too long`, () =>
      expect(regexpFault(text)).to.equal(`expression too large: \`${text}\``))
})
