import { expect } from 'chai'
import { proseProblems } from '../../../hack/support/prose.ts'

const found = (text: string, path = 'src/a.ts'): string[] => proseProblems({ path, text }).map(problem => problem.replace(/ \|.*/, ''))

describe('hack/verify-prose', () => {
  const stopped: Readonly<Record<string, string>> = {
    '/** What the state had. */': 'begins with What, Whom or Those',
    '/** Read once. Whoever comes later waits. */': 'begins with What, Whom or Those',
    '/** Of tokens that live longer. */': 'begins with a preposition instead of the thing',
    '// Taken where it is held.': 'has "where it" for "if"',
    '/** A list that nobody reads. */': 'has a person for a program',
    '/** Absent: all. */': 'begins with a value and a colon',
    '/** The cache is told. */': 'has a program that is told or believes',
    '/** Sends an answer. */': 'has "answer" for a response',
  }
  for (const [comment, habit] of Object.entries(stopped))
    it(`finds a comment that ${habit}: ${comment}`, () =>
      expect(found(`const a = 1\n${comment}\nconst b = 2`)).to.include(`src/a.ts:2: ${habit}`))

  const passed = [
    '/** Revision of the initial list. It includes every change up to this revision. */',
    '/** For a list of type map, its keys. */',
    '/** As in upstream, empty members are omitted. */',
    "const name = 'nobody answers'",
    "const text = 'the DNS server answers' // prose: a term of RFC 1035",
    '/** The DNS answer. prose: a term of RFC 1035 */',
  ]
  for (const text of passed) it(`passes ${text}`, () => expect(found(text)).to.deep.equal([]))

  it('checks Markdown outside of code', () => {
    expect(found('# A\n\n```\nnobody\n```\n`answer` is a name.\n\n- Nobody asks.', 'docs/a.md')).to.deep.equal([
      'docs/a.md:8: has a person for a program',
    ])
  })

  it('allows a heading to begin with What, but not a paragraph', () => {
    expect(found('# What differs\n\nWhat differs is listed.', 'docs/a.md')).to.deep.equal(['docs/a.md:3: begins with What, Whom or Those'])
  })

  it('checks strings, templates and text of elements that have three words or more', () => {
    const text = 'log("the store does not answer")\nlog(`it was asked for twice`)\nconst b = <p>a row for nobody</p>'
    expect(found(text, 'src/a.tsx')).to.deep.equal([
      'src/a.tsx:1: has "answer" for a response',
      'src/a.tsx:2: has a program that is told or believes',
      'src/a.tsx:3: has a person for a program',
    ])
  })

  it('checks descriptions of types and fields without their names', () => {
    expect(
      found(
        '# What remains.\n\nPod like core.Answer: A group.\n  answer: What it is.\n  ports: Ports. Empty: none.',
        'src/api/descriptions/a.txt',
      ),
    ).to.deep.equal([
      'src/api/descriptions/a.txt:1: begins with What, Whom or Those',
      'src/api/descriptions/a.txt:4: begins with What, Whom or Those',
      'src/api/descriptions/a.txt:5: begins with a value and a colon',
    ])
  })

  it('checks comments and titles of a test, and no other text', () => {
    const lines = [
      "describe('what it does', () => {",
      "  it(`of five pods`, () => log('nobody answers me'))",
      "  ;(isBuilt ? it : it.skip)('is asked twice', run)",
      "  it('for-each loops end', run)",
      '  // A list that nobody reads.',
      '})',
    ]
    expect(found(lines.join('\n'), 'test/a.test.ts')).to.have.members([
      'test/a.test.ts:1: begins with no verb and no noun',
      'test/a.test.ts:2: begins with no verb and no noun',
      'test/a.test.ts:3: has a program that is asked',
      'test/a.test.ts:5: has a person for a program',
    ])
  })
})
