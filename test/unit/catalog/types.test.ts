import { expect } from 'chai'
import { enumValues, enumValuesIn } from '../../../src/catalog/types.ts'

describe('values of enums', () => {
  it('have the declared order', () => expect(enumValues('core.RestartPolicy')).to.deep.equal(['Always', 'Never', 'OnFailure']))
  it('begin with the given ones', () =>
    expect(enumValues('core.RestartPolicy', 'Always', 'OnFailure')).to.deep.equal(['Always', 'OnFailure', 'Never']))
  it('are those of the release', () => {
    expect(enumValuesIn('1.34', 'resource.DeviceTaintEffect')).to.deep.equal(['NoExecute', 'NoSchedule'])
    expect(enumValuesIn('1.35', 'resource.DeviceTaintEffect')).to.deep.equal(['NoExecute', 'NoSchedule', 'None'])
  })

  const wrong: [string, string, string[], string][] = [
    ['an undeclared enum', 'core.Weather', [], 'no enum core.Weather'],
    ['a string without values', 'core.ConditionStatus', [], 'no enum core.ConditionStatus'],
    ['an unknown package', 'garden.Protocol', [], 'no enum garden.Protocol'],
    ['a first value that the enum lacks', 'core.Protocol', ['ICMP'], 'enum core.Protocol has no value ICMP'],
  ]
  for (const [what, id, first, message] of wrong) it(`reject ${what}`, () => expect(() => enumValues(id, ...first)).to.throw(message))
})
