import { expect } from 'chai'
import type { Json } from '../../../../src/api/meta/object.ts'
import { jsonPatchSteps } from '../../../../src/apply/patch/json.ts'
import { parseTestedLiterals } from '../../../../src/apply/patch/tested-literals.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'

/** Recorded from the Kubernetes machinery 1.33.9: the library compares the texts of values. */
const TESTS: readonly (readonly [wanted: string, passes: boolean])[] = [
  ['1.5', true],
  ['1.50', false],
  ['15e-1', false],
  ['{"f":1.5}', false],
]

describe('apply/patch/tested-literals', () => {
  for (const [wanted, passes] of TESTS)
    it(`lets a test ${passes ? 'pass' : 'fail'} that compares 1.5 with ${wanted}`, () => {
      const text = `[{"op":"test","path":"/f","value":${wanted}}]`
      const tested = runAtOnce(parseTestedLiterals(Buffer.from(text), JSON.parse(text)))
      const apply = (): Json => runAtOnce(jsonPatchSteps({ f: 1.5 }, tested?.value ?? JSON.parse(text), { literals: tested?.literals }))
      if (passes) expect(apply()).to.deep.equal({ f: 1.5 })
      else expect(apply).to.throw('testing value /f failed: test failed')
    })

  it('parses only patches with tests whose text may differ from the encoding of Go', () => {
    for (const text of [
      '[{"op":"add","path":"/f","value":1.50}]',
      '[{"op":"test","path":"/f","value":1}]',
      'null',
      '{"op":"test","value":1.0}',
    ])
      expect(runAtOnce(parseTestedLiterals(Buffer.from(text), JSON.parse(text))), text).to.equal(undefined)
  })
})
