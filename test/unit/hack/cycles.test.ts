import { expect } from 'chai'
import { cyclesOf, fileCycles, folderCycles } from '../../../hack/support/cycles.ts'

const filesOf = (texts: Readonly<Record<string, string>>) => Object.entries(texts).map(([path, text]) => ({ path, text }))

describe('import cycles', () => {
  it('are the groups of nodes that reach each other', () => {
    const imports = { a: ['b', 'x'], b: ['c'], c: ['a'], d: ['a', 'd'], e: ['d'] }
    expect(cyclesOf(new Map(Object.entries(imports))).map(group => group.sort())).to.deep.equal([['a', 'b', 'c'], ['d']])
  })

  it('are reported of files, if only of types', () => {
    const files = filesOf({
      'src/a.ts': "import type { B } from './b.ts'",
      'src/b.ts': "import {\n  a,\n} from './a.ts'",
      'src/c.ts': "import { a } from './a.ts'",
    })
    expect(fileCycles(files)).to.deep.equal(['these files import each other:\n  src/a.ts\n  src/b.ts'])
  })
})

describe('cycles of folders', () => {
  const R = 'src/resources'

  it('are reported of groups, whatever the kinds in them import', () => {
    const files = filesOf({
      [`${R}/core/pod/a.ts`]: "import { b } from '../../policy/budget/b.ts'",
      [`${R}/policy/budget/b.ts`]: "import { meta } from '../../../meta/status.ts'",
      [`${R}/policy/psp/c.ts`]: "import { d } from '../../core/volume/d.ts'",
      [`${R}/core/volume/d.ts`]: '',
    })
    expect(folderCycles(files)).to.deep.equal([
      `these folders import each other: ${R}/core, ${R}/policy\n  ${R}/core/pod/a.ts imports ${R}/policy/budget/b.ts\n  ${R}/policy/psp/c.ts imports ${R}/core/volume/d.ts`,
    ])
  })

  it('are reported of kinds in one group', () => {
    const files = filesOf({
      [`${R}/core/pod/a.ts`]: "import { b } from '../pod-spec/b.ts'",
      [`${R}/core/pod-spec/b.ts`]: "import { c } from '../pod/sub/c.ts'",
      [`${R}/core/pod/sub/c.ts`]: "import { checks } from '../../checks.ts'",
      [`${R}/core/checks.ts`]: '',
    })
    expect(folderCycles(files)).to.have.length(1)
    expect(folderCycles(files)[0]).to.include(`${R}/core/pod, ${R}/core/pod-spec\n`)
  })

  it('are reported if shared code imports a group', () => {
    const files = filesOf({
      [`${R}/shared/a.ts`]: "import { b } from '../core/b.ts'",
      [`${R}/core/b.ts`]: "import { c } from '../shared/c.ts'",
    })
    expect(folderCycles(files)[0]).to.include(`${R}/core, ${R}/shared`)
  })

  it('do not include the list of kinds, which every group may read', () => {
    const files = filesOf({
      [`${R}/builtin.ts`]: "import { a } from './core/a.ts'",
      [`${R}/core/a.ts`]: "import { PODS } from '../kinds.ts'",
      [`${R}/kinds.ts`]: "import type { B } from './core/b.ts'",
      [`${R}/core/b.ts`]: '',
    })
    expect(folderCycles(files)).to.deep.equal([])
  })
})
