import { expect } from 'chai'
import { readGates, statesIn, withGates } from '../../../../hack/releases/go-gates.ts'

const TEXT = `
var specs = map[featuregate.Feature]featuregate.VersionedSpecs{
	Alpha: {
		{Version: version.MustParse("1.36"), Default: false, PreRelease: featuregate.Alpha},
		{Version: version.MustParse("1.37"), Default: true, PreRelease: featuregate.Beta},
	},

	features.Stable: {
		{Version: version.MustParse("1.30"), Default: true, PreRelease: featuregate.Beta},
		{Version: version.MustParse("1.36"), Default: true, LockToDefault: true, PreRelease: featuregate.GA}, // remove in 1.39
	},
}
`

const TABLE = `/** Gates. */
export const GATE_TABLE = {
  Alpha: 'read 36A-',
  Gone: 'fixed 24B+ 30G+L',
  Stable: 'read 30B+ 36G+L',
}
`

describe('feature gates of a Go file', () => {
  const gates = readGates(TEXT)

  it('have a state in each release', () => {
    expect(Object.fromEntries(statesIn(gates, 35))).to.deep.equal({ Stable: 'B+' })
    expect(Object.fromEntries(statesIn(gates, 36))).to.deep.equal({ Alpha: 'A-', Stable: 'G+L' })
    expect(Object.fromEntries(statesIn(gates, 37))).to.deep.equal({ Alpha: 'B+', Stable: 'G+L' })
  })

  it('are added to the table, in its order', () => {
    const after = new Map([...statesIn(gates, 37), ['Early', 'A-']])
    const { text, changes } = withGates(TABLE, new Map([...statesIn(gates, 36), ['Gone', 'G+L']]), after, 37)
    expect(changes).to.deep.equal(['Alpha: A- -> B+', 'Early: new -> A-', 'Gone: G+L -> gone'])
    expect(text.split('\n').slice(2, -2)).to.deep.equal([
      "  Alpha: 'read 36A- 37B+',",
      "  Early: 'fixed 37A-',",
      "  Gone: 'fixed 24B+ 30G+L 37gone',",
      "  Stable: 'read 30B+ 36G+L',",
    ])
    expect(withGates(text, statesIn(gates, 36), after, 37), 'a second time').to.deep.equal({ text, changes: [] })
  })

  it('replace the states of a preview of the same release', () => {
    const preview = new Map([...statesIn(gates, 37), ['Early', 'A-']])
    const { text } = withGates(TABLE, statesIn(gates, 36), preview, 37)
    const final = withGates(
      text,
      preview,
      new Map([
        ['Alpha', 'A-'],
        ['Stable', 'G+L'],
      ]),
      37,
    )
    expect(final.changes).to.deep.equal(['Alpha: B+ -> A-', 'Early: A- -> gone'])
    expect(final.text).to.include("  Alpha: 'read 36A- 37A-',").and.not.include('Early')
  })
})
