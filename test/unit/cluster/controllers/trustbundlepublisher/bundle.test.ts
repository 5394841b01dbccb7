import { expect } from 'chai'
import { bundleName, servingBundle } from '../../../../../src/cluster/controllers/trustbundlepublisher/bundle.ts'
import { TRUST_BUNDLES } from '../../../../../src/cluster/shared/kinds.ts'

describe('bundle of the serving certificates', () => {
  it('is named by its signer and a hash', () => {
    // printf PEM | sha256sum
    expect(bundleName('kubernetes.io/kube-apiserver-serving', 'PEM')).to.equal(
      'kubernetes.io:kube-apiserver-serving:384fb9a44fabe158be2757b9',
    )
  })

  it('is of the version that the server serves', () => {
    for (const kind of TRUST_BUNDLES)
      expect(servingBundle(kind, 'PEM')).to.deep.include({
        apiVersion: `certificates.k8s.io/${kind.version}`,
        spec: { signerName: 'kubernetes.io/kube-apiserver-serving', trustBundle: 'PEM' },
      })
  })
})
