import { expect } from 'chai'
import { mentionProblems } from '../../../hack/support/file-mentions.ts'

const FILES = ['src/server/app.ts', 'src/server/filters/why.ts', 'src/lib/steps.ts', 'hack/build.ts']
const problemsOf = (text: string): string[] => mentionProblems([{ path: 'src/server/README.md', text }], FILES)

describe('the report on files that READMEs name', () => {
  for (const name of ['app.ts', 'why.ts', 'filters/why.ts', '../lib/steps.ts', 'lib/steps.ts', 'hack/build.ts'])
    it(`finds ${name}`, () => expect(problemsOf(`Start with \`${name}\`.`)).to.deep.equal([]))

  for (const name of ['gone.ts', 'steps.ts', 'filters/app.ts', 'server/gone.tsx'])
    it(`reports ${name}`, () =>
      expect(problemsOf(`Start with \`${name}\`.`)).to.deep.equal([`src/server/README.md names ${name}, which does not exist`]))

  it('ignores other words in backticks', () => expect(problemsOf('`withErrors`, `{a,b}.ts` and gone.ts')).to.deep.equal([]))
})
