import { expect } from 'chai'
import { secretResource } from '../../../../../src/resources/core/secret/definition.ts'
import { causesOf, KindCases, validates } from '../../../../support/kind-cases.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const typed = (type: string, data: Record<string, string> = {}): object => ({
  type: `kubernetes.io/${type}`,
  data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)])),
})
const frozen = { immutable: true, data: { a: 'MQ==' } }

describe('secrets', () => {
  validates(
    secretResource,
    {
      good: [{ data: { a: 'MQ==' } }, []],
      'a bad key': [{ data: { 'a*b': '' } }, ['Invalid data[a*b]']],
      'too much, once decoded': [{ data: { a: Buffer.alloc(1024 * 1024 + 1).toString('base64') } }, ['TooLong data']],
      'as much as may be': [{ data: { a: Buffer.alloc(1024 * 1024).toString('base64') } }, []],
      'dockercfg missing': [typed('dockercfg'), ['Required data[.dockercfg]']],
      'dockercfg empty': [typed('dockercfg', { '.dockercfg': '' }), ['Invalid data[.dockercfg]']],
      'dockercfg no object': [typed('dockercfg', { '.dockercfg': '[]' }), ['Invalid data[.dockercfg]']],
      'dockercfg null': [typed('dockercfg', { '.dockercfg': 'null' }), []],
      'dockerconfigjson good': [typed('dockerconfigjson', { '.dockerconfigjson': '{"auths":{}}' }), []],
      'dockerconfigjson bad': [typed('dockerconfigjson', { '.dockerconfigjson': 'bad' }), ['Invalid data[.dockerconfigjson]']],
      'basic-auth neither': [typed('basic-auth'), ['Required data[username]', 'Required data[password]']],
      'basic-auth one, empty': [typed('basic-auth', { username: '' }), []],
      'ssh-auth empty': [typed('ssh-auth', { 'ssh-privatekey': '' }), ['Required data[ssh-privatekey]']],
      'tls one missing': [typed('tls', { 'tls.crt': '' }), ['Required data[tls.key]']],
      'token without account': [typed('service-account-token'), ['Required metadata.annotations[kubernetes.io/service-account.name]']],
      'token with account': [typed('service-account-token'), [], { annotations: { 'kubernetes.io/service-account.name': 'a' } }],
      'a type of its own': [{ type: 'example.com/x' }, []],
    },
    {
      'the type': [{}, { type: 'a/b' }, ['Invalid type']],
      'immutable, and its data': [frozen, { data: { a: 'Mg==' } }, ['Forbidden immutable', 'Forbidden data']],
      'becomes immutable': [{ data: { a: 'MQ==' } }, frozen, []],
    },
  )

  it('tell nothing of their contents in messages', async () => {
    try {
      await new KindCases(secretResource).create(typed('dockercfg', { '.dockercfg': 'hunter2' }))
    } catch (error) {
      return expect((error as Error).message)
        .to.include('<secret contents redacted>')
        .and.not.include('hunter2')
    }
    expect.fail('it was let in')
  })

  it('merge texts into data, and keep none', async () => {
    const made = await new KindCases(secretResource).create({ data: { a: 'YQ==', b: 'Yg==' }, stringData: { b: 'new', c: 'ü' } })
    expect(made).to.deep.include({ type: 'Opaque', data: { a: 'YQ==', b: 'bmV3', c: base64('ü') } })
    expect(made).to.not.have.property('stringData')
    expect(await causesOf(new KindCases(secretResource).create({ stringData: { 'a*b': '' } }))).to.deep.equal(['Invalid data[a*b]'])
  })

  it('print, and are selected by type', async () => {
    const cases = new KindCases(secretResource)
    const made = await cases.create({ stringData: { a: 'b', c: 'd' } })
    expect(cases.cells()).to.deep.equal(['x', 'Opaque', 2, '0s'])
    expect(secretResource.hub.selectableFields?.type?.(made)).to.equal('Opaque')
  })
})
