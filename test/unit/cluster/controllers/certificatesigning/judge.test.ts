import { expect } from 'chai'
import type { CertificateSigningRequest } from '../../../../../src/api/certificates/v1.types.ts'
import { isKnownSigner, isWaiting, signingFault } from '../../../../../src/cluster/controllers/certificatesigning/judge.ts'
import { certificateSeconds, certificateTimes } from '../../../../../src/cluster/controllers/certificatesigning/validity.ts'
import type { JudgedRequest } from '../../../../../src/cluster/shared/signing-requests.ts'

const CLIENT = 'kubernetes.io/kube-apiserver-client'
const KUBELET = 'kubernetes.io/kube-apiserver-client-kubelet'
const SERVING = 'kubernetes.io/kubelet-serving'
const NODE: JudgedRequest = { organizations: ['system:nodes'], commonName: 'system:node:a', dns: [], ips: [], emails: [], uris: [] }
const CLIENT_USAGES = ['client auth', 'digital signature', 'key encipherment']
const SERVING_USAGES = ['server auth', 'digital signature']

describe('signers of Kubernetes', () => {
  const cases: [string, Partial<JudgedRequest>, string[], string | undefined][] = [
    [KUBELET, {}, CLIENT_USAGES, undefined],
    [KUBELET, {}, ['client auth', 'digital signature'], undefined],
    [KUBELET, { organizations: ['system:nodes', 'x'] }, CLIENT_USAGES, 'subject organization is not system:nodes'],
    [KUBELET, { commonName: 'x' }, [], 'subject common name does not begin with system:node:'],
    [KUBELET, { dns: ['a'] }, CLIENT_USAGES, 'DNS subjectAltNames are not allowed'],
    [KUBELET, { emails: ['a'] }, CLIENT_USAGES, 'Email subjectAltNames are not allowed'],
    [KUBELET, { ips: [Buffer.alloc(4)] }, CLIENT_USAGES, 'IP subjectAltNames are not allowed'],
    [KUBELET, { uris: ['a'] }, CLIENT_USAGES, 'URI subjectAltNames are not allowed'],
    [KUBELET, {}, ['client auth'], 'usages did not match [client auth digital signature key encipherment]'],
    [SERVING, { dns: ['a'] }, SERVING_USAGES, undefined],
    [SERVING, {}, SERVING_USAGES, 'DNS or IP subjectAltName is required'],
    [SERVING, { dns: ['a'], commonName: 'x' }, SERVING_USAGES, 'subject common name does not begin with system:node:'],
    [SERVING, { dns: ['a'], uris: ['b'] }, SERVING_USAGES, 'URI subjectAltNames are not allowed'],
    [SERVING, { dns: ['a'] }, CLIENT_USAGES, 'usages did not match [digital signature key encipherment server auth]'],
    [CLIENT, { commonName: 'bob' }, ['client auth'], undefined],
    [CLIENT, {}, ['client auth', 'server auth'], 'invalid usage for client certificate: server auth'],
    [CLIENT, {}, ['digital signature'], 'missing required usage for client certificate: client auth'],
    ['kubernetes.io/legacy-unknown', { organizations: [] }, ['any'], undefined],
  ]
  for (const [signer, parts, usages, expected] of cases)
    it(`${signer} ${expected === undefined ? 'signs' : `refuses: ${expected}`} (${usages})`, () =>
      expect(signingFault(signer, { ...NODE, ...parts }, usages)).to.equal(expected))

  it('leave requests to other signers alone', () => {
    expect([CLIENT, 'example.com/x', 'kubernetes.io/other', 'toString'].map(isKnownSigner)).to.deep.equal([true, false, false, false])
  })

  it('wait for approval, and act once', () => {
    const request = (types: string[], certificate?: string): CertificateSigningRequest => {
      const conditions = types.map(type => ({ type, status: 'True', lastUpdateTime: null, lastTransitionTime: null }))
      const made: unknown = { metadata: {}, spec: {}, status: { conditions, certificate } }
      return made as CertificateSigningRequest
    }
    const requests = [
      request(['Approved']),
      request([]),
      request(['Approved', 'Failed']),
      request(['Approved', 'Denied']),
      request(['Approved'], 'x'),
    ]
    expect(requests.map(isWaiting)).to.deep.equal([true, false, false, false, false])
  })
})

describe('validity of certificates', () => {
  const YEAR = 31_536_000
  const NOW = Date.parse('2030-01-01T00:00:00Z')
  const times = (seconds: number, ends = NOW + 2 * YEAR * 1000): string[] => {
    const { notBefore, notAfter } = certificateTimes(seconds, NOW, ends)
    return [notBefore, notAfter].map(date => date.toISOString().slice(0, 19))
  }

  it('is what is requested, between ten minutes and the longest', () => {
    expect([undefined, 2 * YEAR, 3600, 600, 60].map(seconds => certificateSeconds(seconds))).to.deep.equal([YEAR, YEAR, 3600, 600, 600])
    expect(certificateSeconds(undefined, 1800)).to.equal(1800)
  })

  it('begins five minutes earlier, and ends earlier too unless it is short', () => {
    expect(times(YEAR)).to.deep.equal(['2029-12-31T23:55:00', '2030-12-31T23:55:00'])
    expect(times(3600)).to.deep.equal(['2029-12-31T23:55:00', '2030-01-01T01:00:00'])
  })

  it('does not exceed that of the authority', () => {
    expect(times(YEAR, NOW + 60_000)[1]).to.equal('2030-01-01T00:01:00')
    expect(() => times(YEAR, NOW)).to.throw('refusing to sign a certificate that expired in the past: NotAfter=2030-01-01T00:00:00.000Z')
  })
})
