import { expect } from 'chai'
import type { Json, JsonObject } from '../../../src/api/meta/object.ts'
import { parseYaml, parseYamlInSteps, yamlBytes, yamlInSteps } from '../../../src/codec/yaml.ts'

const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`key-${(i * 7919) % 20_000}`, `value ${i}`]))
const long = Array.from({ length: 20_000 }, (_, i) => (i % 2 === 0 ? `item ${i}` : { name: `n${i}` }))

describe('writing YAML in steps', () => {
  for (const [what, value] of [
    ['a wide map', { data: wide }],
    ['a long list', { items: long }],
  ] satisfies [string, Json][])
    it(`takes many steps for ${what}`, () => {
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

  /** Nests a value in this many objects. */
  const nested = (levels: number, value: Json): Json => {
    let object = value
    for (let i = 0; i < levels; i++) object = { a: object }
    return object
  }

  const members = (count: number, prefix = 'k'): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, 1]))

  it('ends a step early if lines are deeply indented', () => {
    let steps = 0
    let longest = 0
    const writing = yamlInSteps(nested(1000, members(2000)))
    let last: readonly Buffer[] = []
    for (let step = writing.next(); ; step = writing.next()) {
      if (step.done) {
        last = step.value
        break
      }
      steps++
    }
    for (const { length } of last) longest = Math.max(longest, length)
    expect(steps).to.be.greaterThan(15)
    expect(longest).to.be.lessThan(300_000)
  })

  const refused: Record<string, Json> = {
    'members of a deep object': nested(1000, members(20_000)),
    'lines of a deep text': nested(1000, 'a\n'.repeat(100_000)),
    'words of a deep text': nested(1000, 'a '.repeat(100_000)),
    'words of a deep text in quotes': nested(1000, `: ${'a '.repeat(100_000)}`),
    'long keys': nested(1000, members(10_000, 'k'.repeat(200))),
  }
  for (const [what, value] of Object.entries(refused))
    it(`rejects an object with more than 32 MiB of indentation: ${what}`, () =>
      expect(() => yamlBytes(value)).to.throw('the object is nested too deeply to be indented as YAML'))
})

describe('parsing YAML in steps', () => {
  const megabytes = (text: string, count = 3_000_000): string => text.repeat(count / text.length)
  const texts: Record<string, string> = {
    'a text in quotes that is not indented': `a: "${megabytes('xxxx\n')}"`,
    'lines between brackets that are not indented': `a: [\n${'"xxxxxxxx",\n'.repeat(60_000)}]`,
    'tabs between brackets': `a: [${megabytes('\t')}]`,
    'members of a block': '- {a: 1} # b\n'.repeat(30_000),
    'lines of a block scalar': `a: |\n${megabytes('  xxxx\n')}`,
    'line breaks in quotes': `a: "${megabytes('\n')}"`,
    'escapes in quotes': `a: "${megabytes('\\u0041')}"`,
    'many keys': Array.from({ length: 50_000 }, (_, i) => `k${i}: 1\n`).join(''),
    'words without quotes': `a: ${megabytes('xx ')}`,
  }
  for (const [what, text] of Object.entries(texts))
    it(`takes many steps for ${what}`, () => {
      const parsing = parseYamlInSteps(Buffer.from(text))
      let steps = 0
      for (let step = parsing.next(); !step.done; step = parsing.next()) steps++
      expect(steps).to.be.greaterThan(100)
    })
})
