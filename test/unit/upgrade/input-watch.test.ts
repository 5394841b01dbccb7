import { expect } from 'chai'
import { InputBoundError } from '../../../src/lib/bounded-input.ts'
import { DEFAULT_LIMITS, jsonFault, yamlFault } from '../../../src/upgrade/input-limits.ts'
import { InputWatch } from '../../../src/upgrade/input-watch.ts'

describe('InputWatch', () => {
  it('reports progress every ten seconds, and ends after the given minutes', () => {
    let time = 5000
    const said: string[] = []
    const watch = new InputWatch({ limits: { ...DEFAULT_LIMITS, minutes: 1 }, say: text => said.push(text), now: () => time })
    const steps: [seconds: number, said: number][] = [
      [9, 0],
      [1, 1],
      [9, 1],
      [1, 2],
      [40, 3],
    ]
    for (const [seconds, count] of steps) {
      time += seconds * 1000
      watch.object('a.json')
      expect(said).to.have.length(count)
    }
    expect(said[2]).to.equal('reading a.json: 5 objects so far\n')
    time++
    expect(() => watch.step('a.json')).to.throw(
      InputBoundError,
      'a.json: reading takes longer than 1 minutes (--max-minutes raises the bound)',
    )
  })
})

describe('limits of a text', () => {
  const limits = { ...DEFAULT_LIMITS, values: 20 }
  const cases: [name: string, text: string, json: boolean, yaml: boolean][] = [
    ['nothing', '', false, false],
    ['few values', '{"a":[1,2]}', false, false],
    ['many values', `[${'1,'.repeat(20)}1]`, true, true],
    ['commas in a string', `["${','.repeat(50)}"]`, false, true],
    ['quotes in a string', `["\\"${','.repeat(50)}\\\\"]`, false, true],
    ['a string without end', `["${','.repeat(50)}`, false, true],
    ['a backslash at the end', '["\\', false, false],
    ['a block', 'a: 1\n'.repeat(5), false, true],
    ['lines that end by carriage returns', 'a: 1\r'.repeat(5), false, true],
    ['spaces before it', ` \r\n\t[${',1'.repeat(30)}]`, true, true],
  ]
  for (const [name, text, json, yaml] of cases)
    it(`count the values of ${name}`, () => {
      expect(jsonFault(Buffer.from(text), limits) !== undefined, 'JSON').to.equal(json)
      expect(yamlFault(Buffer.from(text), limits) !== undefined, 'YAML').to.equal(yaml)
    })
})
