import { expect } from 'chai'
import { fnv1a, safeEncode, templateHash, templateHashInSteps } from '../../../../src/cluster/shared/template-hash.ts'
import { countedSteps } from '../../../support/counted-steps.ts'

const MANY = 20_000
const hashOf = (json: string, count = Buffer.alloc(0)): string => safeEncode(String(fnv1a(Buffer.concat([Buffer.from(json), count]))))

describe('the hash of a template', () => {
  it('is that of its JSON with sorted members', () => {
    expect(templateHash({ b: [1, { d: 'é', c: undefined }], a: {} }, undefined)).to.equal(hashOf('{"a":{},"b":[1,{"d":"é"}]}'))
    expect(templateHash({ a: 1 }, 3)).to.equal(hashOf('{"a":1}', Buffer.from([3, 0, 0, 0, 0, 0, 0, 0])))
  })

  it('is computed in steps of a large template, in the same form', () => {
    const names = Array.from({ length: MANY }, (_, i) => `k${MANY - i}`)
    const env = names.map(name => ({ value: 'v', name, empty: {}, gone: undefined }))
    const labels = { ...Object.fromEntries(names.map(name => [name, name])), gone: undefined }
    const json = `{"env":[${names.map(name => `{"empty":{},"name":"${name}","value":"v"}`).join(',')}],"labels":{${names
      .toSorted()
      .map(name => `"${name}":"${name}"`)
      .join(',')}},"none":[null]}`
    const { result, yields } = countedSteps(templateHashInSteps({ labels, env, none: [undefined] }, undefined))
    expect(result).to.equal(hashOf(json))
    expect(yields).to.be.at.least(2 * Math.floor(MANY / 32))
  })

  it('is computed in steps of a long text', () => {
    const text = 'x'.repeat(3_000_000)
    const { result, yields } = countedSteps(templateHashInSteps({ text }, undefined))
    expect(result).to.equal(hashOf(JSON.stringify({ text })))
    expect(yields).to.be.at.least(Math.floor(text.length / 65_536))
  })
})
