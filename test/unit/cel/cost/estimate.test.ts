import { expect } from 'chai'
import { compile } from '../../../../src/cel/compile.ts'
import { estimateCost } from '../../../../src/cel/cost/estimate.ts'
import { sizedType, sizesOf } from '../../../../src/cel/schema/sizes.ts'
import { readResults, resultsEnvironment } from '../../../support/cel-results.ts'

describe('estimated costs of expressions', () => {
  it("equal cel-go's estimates for the same schema", () => {
    const wrong: unknown[] = []
    let count = 0
    for (const { schema, results } of readResults()) {
      const environment = resultsEnvironment(schema)
      const sizeAt = sizesOf(sizedType(schema, false)!)
      for (const { expression, min, max } of results) {
        if (min === undefined || max === undefined) continue
        count++
        const ours = estimateCost(compile(expression, environment).checked!, sizeAt)
        if (String(ours.min) !== min || String(ours.max) !== max)
          wrong.push({ expression, ours: `${ours.min} ${ours.max}`, theirs: `${min} ${max}` })
      }
    }
    expect(wrong).to.deep.equal([])
    expect(count).to.be.above(4000)
  })
})
