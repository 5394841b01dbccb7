import { expect } from 'chai'
import { parseYaml, yamlBytes, yamlInSteps } from '../../../src/codec/yaml.ts'
import type { Json } from '../../../src/meta/object.ts'

const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`key-${(i * 7919) % 20_000}`, `value ${i}`]))
const long = Array.from({ length: 20_000 }, (_, i) => (i % 2 === 0 ? `item ${i}` : { name: `n${i}` }))

describe('YAML in steps', () => {
  for (const [what, value] of [
    ['a wide map', { data: wide }],
    ['a long list', { items: long }],
  ] satisfies [string, Json][])
    it(`writes ${what} in many`, () => {
      let steps = 0
      const writing = yamlInSteps(value)
      for (let step = writing.next(); ; step = writing.next()) {
        if (step.done) {
          const written = Buffer.concat(step.value)
          expect(written.equals(yamlBytes(value))).to.equal(true)
          expect(parseYaml(written).value).to.deep.equal(value)
          break
        }
        steps++
      }
      expect(steps).to.be.greaterThan(15)
    })
})
