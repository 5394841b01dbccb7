import { expect } from 'chai'
import type { Secret } from '../../../../../src/api/core/v1.types.ts'
import { detachedSignature, signedData, signingToken } from '../../../../../src/cluster/controllers/bootstrapsigner/signatures.ts'

const NOW = Date.parse('2030-01-01T00:00:00Z')
const TOKEN = { id: 'abcdef', secret: '0123456789abcdef' }
const TEXTS = { 'token-id': TOKEN.id, 'token-secret': TOKEN.secret, 'usage-bootstrap-signing': 'true' }

const secret = (texts: Record<string, string>, name = 'bootstrap-token-abcdef'): Secret => ({
  kind: 'Secret',
  apiVersion: 'v1',
  metadata: { name, namespace: 'kube-system' },
  type: 'bootstrap.kubernetes.io/token',
  data: Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
})

describe('bootstrap signatures', () => {
  it('are JWS without their content', () => {
    expect(detachedSignature('apiVersion: v1\nkind: Config\n', TOKEN)).to.equal(
      'eyJhbGciOiJIUzI1NiIsImtpZCI6ImFiY2RlZiJ9..vH_kT4yiol-nrAWgjfCYqvum5wsKETXe0S7OOp1VgnE',
    )
  })

  it('are made with tokens that may sign and have not expired', () => {
    const at = (expiration: string): Secret => secret({ ...TEXTS, expiration })
    expect([secret(TEXTS), at('2030-01-01T00:00:01Z')].map(each => signingToken(each, NOW))).to.deep.equal([TOKEN, TOKEN])
    const rejected = [
      at('2030-01-01T00:00:00Z'),
      at('tomorrow'),
      secret(TEXTS, 'bootstrap-token-other1'),
      secret(TEXTS, 'abcdef'),
      secret({ ...TEXTS, 'usage-bootstrap-signing': 'yes' }),
      secret({ ...TEXTS, 'token-secret': '' }),
      secret({}, 'bootstrap-token-'),
    ]
    expect(rejected.map(each => signingToken(each, NOW))).to.deep.equal(rejected.map(() => undefined))
  })

  it('replace those of tokens that are gone', () => {
    const data = signedData({ kubeconfig: 'abc', other: 'x', 'jws-kubeconfig-gone00': 'y' }, [TOKEN])
    expect(data).to.deep.equal({ kubeconfig: 'abc', other: 'x', 'jws-kubeconfig-abcdef': detachedSignature('abc', TOKEN) })
    expect(signedData(data, [TOKEN])).to.equal(undefined)
    expect(signedData(data, [])).to.deep.equal({ kubeconfig: 'abc', other: 'x' })
    expect(signedData({ ...data, kubeconfig: 'abd' }, [TOKEN])?.['jws-kubeconfig-abcdef']).to.equal(detachedSignature('abd', TOKEN))
    expect([signedData({ other: 'x' }, [TOKEN]), signedData(undefined, [TOKEN])]).to.deep.equal([undefined, undefined])
  })
})
