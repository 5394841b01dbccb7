import { expect } from 'chai'
import * as names from '../../../src/meta/names.ts'
import { type Detail, textIn, words } from '../../../src/meta/wording.ts'

const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const WILDCARD =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const QUALIFIED =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const a = (n: number): string => 'a'.repeat(n)

describe('names', () => {
  const texts: [rule: (text: string) => Detail[], text: string, errors: string[]][] = [
    [names.isDns1123Label, 'a-1', []],
    [names.isDns1123Label, a(63), []],
    [names.isDns1123Label, a(64), ['must be no more than 63 characters']],
    [names.isDns1123Label, 'a.b', ['must not contain dots']],
    [names.isDns1123Label, 'A', [LABEL]],
    [names.isDns1123Label, '', [LABEL]],
    [names.isDns1123Label, 'a\n', [LABEL]],
    [names.isDns1123Label, `${a(64)}.b`, ['must be no more than 63 characters', 'must not contain dots']],
    [names.isDns1123Subdomain, 'a.b-c.1', []],
    [names.isDns1123Subdomain, 'a..b', [SUBDOMAIN]],
    [names.isDns1123Subdomain, 'ä', [SUBDOMAIN]],
    [names.isDns1123Subdomain, a(254), ['must be no more than 253 characters']],
    ...['a', 'a-b.c', '-', '.', 'a-', 'a.', '-a', 'a.-b', 'a-.b', 'a..b', 'A', 'ä', 'a\n', 'a_b', 'a--b'].map(
      (end): (typeof texts)[number] => [
        names.isDns1123Subdomain,
        `${'a.'.repeat(130)}${end}`,
        ['must be no more than 253 characters', ...names.isDns1123Subdomain(`a.${end}`)],
      ],
    ),
    [names.isWildcardDns1123Subdomain, '*.b-c.1', []],
    [names.isWildcardDns1123Subdomain, 'a.b', [WILDCARD]],
    [names.isWildcardDns1123Subdomain, '*.*.b', [WILDCARD]],
    [names.isWildcardDns1123Subdomain, `*.${a(252)}`, ['must be no more than 253 characters']],
    [names.isQualifiedName, 'Simple.Key_1', []],
    [names.isQualifiedName, 'example.com/key', []],
    [names.isQualifiedName, '', ['name part must be non-empty', QUALIFIED]],
    [names.isQualifiedName, '/a', ['prefix part must be non-empty']],
    [names.isQualifiedName, 'A.com/a', [`prefix part ${SUBDOMAIN}`]],
    [names.isQualifiedName, `a/${a(64)}`, ['name part must be no more than 63 characters']],
    [
      names.isQualifiedName,
      'a/b/c',
      [`${QUALIFIED.replace('name part', 'a qualified name')} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`],
    ],
    [names.isValidLabelValue, '', []],
    [names.isValidLabelValue, a(64), ['must be no more than 63 characters']],
    [names.isConfigMapKey, '..a', ["must not start with '..'"]],
    [names.isConfigMapKey, '.', ["must not be '.'"]],
    [names.isConfigMapKey, '.a', []],
    [names.isRelaxedEnvVarName, 'a b', []],
    [
      names.isRelaxedEnvVarName,
      'a=b',
      ["a valid environment variable name must consist only of printable ASCII characters other than '='"],
    ],
    [names.isValidPortName, 'http-1', []],
    [names.isValidPortName, '1-', ['must contain at least one letter (a-z)', 'must not begin or end with a hyphen']],
    [names.isValidPortName, 'a--b', ['must not contain consecutive hyphens']],
    [names.isValidPercent, '93%', []],
  ]
  for (const [rule, text, errors] of texts) {
    it(`${rule.name}(${JSON.stringify(text.length > 40 ? `${text.slice(0, 10)}… ${text.length}` : text)})`, () =>
      expect(rule(text).map(String)).to.deep.equal(errors))
  }

  it('says bytes for the limits of label keys and values since 1.35, and calls a qualified name a label key', () => {
    const long = words('must be no more than 63 characters', 'must be no more than 63 bytes', '1.35')
    expect(names.isValidLabelValue(a(64))).to.deep.equal([long])
    expect(names.isQualifiedName(a(64)).map(detail => textIn(detail, '1.35'))).to.deep.equal(['name part must be no more than 63 bytes'])
    expect(names.isQualifiedName(`${a(254)}/a`).map(detail => textIn(detail, '1.37'))).to.deep.equal([
      'prefix part must be no more than 253 bytes',
    ])
    expect(names.isQualifiedName('a/b/c').map(detail => textIn(detail, '1.34'))[0]).to.match(/^a qualified name must consist/)
    expect(names.isQualifiedName('a/b/c').map(detail => textIn(detail, '1.35'))[0]).to.match(/^a valid label key must consist/)
  })

  it('measures lengths in bytes of UTF-8', () => {
    expect(names.longerThan('é'.repeat(5), 9)).to.equal(true)
    expect(names.longerThan('é'.repeat(5), 10)).to.equal(false)
  })

  it('accepts a generateName that ends with a dash, but not one that begins with one', () => {
    expect(names.nameIsDnsLabel('gen-', true)).to.deep.equal([])
    expect(names.nameIsDnsLabel('gen-', false)).to.deep.equal([LABEL])
    expect(names.nameIsDnsSubdomain('-', true)).to.deep.equal([SUBDOMAIN])
  })

  it('requires a domain and a path of a domain-prefixed path', () => {
    const text = 'must be a domain-prefixed path (such as "acme.io/foo")'
    for (const part of ['foo', '/foo', 'acme.io/']) expect(names.isDomainPrefixedPath(part)).to.deep.equal([{ part, text }])
    expect(names.isDomainPrefixedPath('acme.io/foo')).to.deep.equal([])
  })

  it('prints ranges', () => {
    expect(names.isValidPortNum(0)).to.deep.equal(['must be between 1 and 65535, inclusive'])
    expect(names.isValidPortNum(65535)).to.deep.equal([])
    expect(names.isValidUserId(-1)).to.deep.equal(['must be between 0 and 2147483647, inclusive'])
  })

  it('checks path segments', () => {
    expect(names.nameIsPathSegment('..', false)).to.deep.equal(["may not be '..'"])
    expect(names.nameIsPathSegment('a/%', false)).to.deep.equal(["may not contain '/'", "may not contain '%'"])
    expect(names.nameIsPathSegment('Any Name', false)).to.deep.equal([])
  })
})
