import { X509Certificate } from 'node:crypto'
import { expect } from 'chai'
import { type ClusterTrust, combined, keepClusterTrust } from '../../../src/controllers/cluster-trust.ts'
import { builtinRegistry, CONFIG_MAPS, controllerEnvironment, NAMESPACES } from '../../support/builtin-registry.ts'
import { issueCertificate } from '../../support/certificates.ts'
import { eventually } from '../../support/waiting.ts'

const NAME = 'extension-apiserver-authentication'
const authority = async (name: string) =>
  new X509Certificate((await issueCertificate({ subject: [{ CN: [name] }], isAuthority: true })).cert)

describe('extension-apiserver-authentication', () => {
  let one: X509Certificate
  let two: X509Certificate
  before(async () => {
    one = await authority('one')
    two = await authority('two')
  })
  const pem = (...certificates: X509Certificate[]) => certificates.map(each => each.toString()).join('')
  const header = (over: object = {}) => ({
    authorities: [two],
    allowedNames: ['front'],
    usernameHeaders: ['X-Remote-User'],
    uidHeaders: ['X-Remote-Uid'],
    groupHeaders: ['X-Remote-Group'],
    extraHeaderPrefixes: ['X-Remote-Extra-'],
    ...over,
  })
  const ask = (data: Record<string, string>, trust: ClusterTrust, { sendsUid = true, now = Date.now() } = {}) =>
    combined(data, trust, { sendsUid, now })

  it('contains the CAs and headers of this server', () => {
    expect(ask({}, { clients: [one] })).to.deep.equal({ 'client-ca-file': pem(one) })
    const whole = {
      'client-ca-file': pem(one),
      'requestheader-client-ca-file': pem(two),
      'requestheader-username-headers': '["X-Remote-User"]',
      'requestheader-uid-headers': '["X-Remote-Uid"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-allowed-names': '["front"]',
    }
    expect(ask({}, { clients: [one], requestHeader: header() })).to.deep.equal(whole)
    const { 'requestheader-uid-headers': _, ...withoutUid } = whole
    expect(ask({}, { clients: [one], requestHeader: header() }, { sendsUid: false })).to.deep.equal(withoutUid)
    expect(ask({}, { clients: [one], requestHeader: header({ uidHeaders: [] }) })).to.deep.equal(withoutUid)
  })

  it('keeps those of other servers, without duplicates', () => {
    const said = ask({}, { clients: [one], requestHeader: header({ groupHeaders: ['snorlax', 'panda'] }) })
    const both = ask(
      { ...said, bear: 'x' },
      { clients: [two, one], requestHeader: header({ groupHeaders: ['panda', 'rabbit'], authorities: [one] }) },
    )
    expect(both['client-ca-file']).to.equal(pem(one, two))
    expect(both['requestheader-client-ca-file']).to.equal(pem(two, one))
    expect(both['requestheader-group-headers']).to.equal('["snorlax","panda","rabbit"]')
    expect(both['requestheader-username-headers']).to.equal('["X-Remote-User"]')
    expect(both.bear).to.equal(undefined)
    expect(ask(both, { clients: [] })).to.deep.equal(both)
  })

  it('omits expired certificates', () => {
    const end = Date.parse(one.validTo)
    expect(ask({ 'client-ca-file': pem(one) }, { clients: [] }, { now: end + 4 * 60_000 })).to.deep.equal({ 'client-ca-file': pem(one) })
    expect(ask({ 'client-ca-file': pem(one) }, { clients: [] }, { now: end + 6 * 60_000 })).to.deep.equal({})
  })

  it('rejects malformed lists', () =>
    expect(() => ask({ 'requestheader-allowed-names': '{}' }, { clients: [] })).to.throw('other than a list of strings'))

  it('is created, and recreated after a deletion', async () => {
    const t = builtinRegistry()
    const access = t.access()
    await access.create(NAMESPACES, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'kube-system' } })
    const end = new AbortController()
    const done = keepClusterTrust(controllerEnvironment(t), () => ({ clients: [one] }), true, end.signal)
    const written = async () => (await access.get(CONFIG_MAPS, 'kube-system', NAME).catch(() => undefined))?.metadata.uid
    await eventually('it is written', async () => (await written()) !== undefined)
    const first = await written()
    await access.delete(CONFIG_MAPS, 'kube-system', NAME)
    await eventually('it is written again', async () => ![first, undefined].includes(await written()))
    end.abort()
    await done
  })
})
