import { expect } from 'chai'
import { managerFromUserAgent, validateFieldManager } from '../../../src/apply/manager-name.ts'

describe('names of field managers', () => {
  const agents: [agent: string, name: string][] = [
    ['kubectl/v1.33.0 (linux/amd64) kubernetes/abc', 'kubectl'],
    ['curl', 'curl'],
    ['', ''],
    ['/x', ''],
    ['my agent\u0007 é/1', 'my agent é'],
    ['\u00a0\u200bx', 'x'],
    ['a'.repeat(130), 'a'.repeat(128)],
    [`${'a'.repeat(127)}éb`, 'a'.repeat(127)],
  ]
  for (const [agent, name] of agents) it(`of ${JSON.stringify(agent).slice(0, 40)}`, () => expect(managerFromUserAgent(agent)).to.equal(name))

  it('may be printable, of 128 bytes', () => {
    expect(validateFieldManager('')).to.deep.equal([])
    expect(validateFieldManager('é'.repeat(64))).to.deep.equal([])
    expect(validateFieldManager('é'.repeat(65))).to.deep.equal([
      { reason: 'FieldValueTooLong', field: 'fieldManager', body: 'Too long: may not be more than 128 bytes' },
    ])
    expect(validateFieldManager('é\tb\n')).to.deep.equal([
      { reason: 'FieldValueInvalid', field: 'fieldManager', body: 'Invalid value: "é\\tb\\n": invalid character U+0009 (at position 2)' },
      { reason: 'FieldValueInvalid', field: 'fieldManager', body: 'Invalid value: "é\\tb\\n": invalid character U+000A (at position 4)' },
    ])
  })
})
