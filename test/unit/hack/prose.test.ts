import { expect } from 'chai'
import { proseProblems } from '../../../hack/support/prose.ts'

const found = (text: string, path = 'src/a.ts'): string[] => proseProblems({ path, text }).map(problem => problem.replace(/ \|.*/, ''))

describe('hack/verify-prose', () => {
  const stopped: Readonly<Record<string, string>> = {
    '/** What the state had. */': 'begins with What, Whoever, Whom or Those',
    '/** Read once. Whoever comes later waits. */': 'begins with What, Whoever, Whom or Those',
    '/** Of tokens that live longer. */': 'begins with a preposition instead of the thing',
    '// Taken where it is held.': 'has "where it" for "if"',
    '/** A list that nobody reads. */': 'has a person for a program',
    '/** Absent: all. */': 'begins with a value and a colon',
    '/** The cache is told. */': 'has a program that is told or believes',
    '/** Sends an answer. */': 'has "answer" for a response',
  }
  for (const [comment, habit] of Object.entries(stopped))
    it(`finds a comment that ${habit}: ${comment}`, () => expect(found(`const a = 1\n${comment}\nconst b = 2`)).to.include(`src/a.ts:2: ${habit}`))

  const passed = [
    '/** Revision of the initial list. It includes every change up to this revision. */',
    '/** For a list of type map, its keys. */',
    '/** As in upstream, empty members are omitted. */',
    "const text = 'What nobody answers'",
    '/** The DNS answer. prose: a term of RFC 1035 */',
  ]
  for (const text of passed) it(`passes ${text}`, () => expect(found(text)).to.deep.equal([]))

  it('reads Markdown outside of code', () => {
    expect(found('# A\n\n```\nnobody\n```\n`answer` is a name.\n\n- Nobody asks.', 'docs/a.md')).to.deep.equal(['docs/a.md:8: has a person for a program'])
  })
})
