import { expect } from 'chai'
import {
  checkBinding,
  checkNames,
  checkPolicy,
  checkReferences,
  checkWebhooks,
} from '../../../../src/admission/manifests/manifest-rules.ts'

const named = (name: string, file = 'a.yaml') => ({ file, object: { metadata: { name } } })
const binding = (spec: object) => ({
  kind: 'ValidatingAdmissionPolicyBinding',
  apiVersion: 'v1',
  metadata: { name: 'b.static.k8s.io' },
  spec,
})

describe('rules of manifests', () => {
  it('require the suffix, and names that are unique', () => {
    expect(() => checkNames([named('a.static.k8s.io'), named('b.static.k8s.io')])).not.to.throw()
    expect(() => checkNames([named('a')])).to.throw(
      'error loading a.yaml: "a" in file "a.yaml" must have a name ending with ".static.k8s.io"',
    )
    expect(() => checkNames([named('a.static.k8s.io'), named('a.static.k8s.io', 'b.yaml')])).to.throw(
      'error loading b.yaml: duplicate name "a.static.k8s.io" found in file "b.yaml" (previously seen in "a.yaml")',
    )
  })

  it('allow webhooks with a URL only', () => {
    const check = (clientConfig: object) => () =>
      checkWebhooks({
        file: 'a.yaml',
        object: {
          kind: 'ValidatingWebhookConfiguration',
          apiVersion: 'v1',
          metadata: { name: 'h.static.k8s.io' },
          webhooks: [{ name: 'w', clientConfig, sideEffects: null, admissionReviewVersions: null }],
        },
      })
    expect(check({ url: 'https://localhost' })).not.to.throw()
    const subject = 'error loading a.yaml: webhook "w" in "h.static.k8s.io" (file "a.yaml"): '
    expect(check({})).to.throw(`${subject}clientConfig.url is required for static manifests`)
    expect(check({ service: { name: 's', namespace: 'n' } })).to.throw(
      `${subject}clientConfig.service is not supported for static manifests; use clientConfig.url instead`,
    )
  })

  it('allow no parameters', () => {
    const policy = (spec: object) => () =>
      checkPolicy({ file: 'a.yaml', object: { kind: 'MutatingAdmissionPolicy', metadata: { name: 'p' }, spec } })
    expect(policy({})).not.to.throw()
    expect(policy({ paramKind: {} })).to.throw(
      'error loading a.yaml: MutatingAdmissionPolicy "p": spec.paramKind is not supported for static manifests',
    )
    const bound = (spec: object) => () => checkBinding({ file: 'a.yaml', object: binding(spec) })
    expect(bound({ policyName: 'p.static.k8s.io' })).not.to.throw()
    expect(bound({ policyName: 'p.static.k8s.io', paramRef: {} })).to.throw('spec.paramRef is not supported for static manifests')
  })

  it('require bindings to policies of the directory', () => {
    const bound = (spec: object) => () => checkBinding({ file: 'a.yaml', object: binding(spec) })
    expect(bound({})).to.throw('binding "b.static.k8s.io" must reference a policy (spec.policyName)')
    expect(bound({ policyName: 'p' })).to.throw('binding "b.static.k8s.io": spec.policyName "p" must end with ".static.k8s.io"')
    expect(() => checkReferences(new Set(['p']), [binding({ policyName: 'p' })])).not.to.throw()
    expect(() => checkReferences(new Set(), [binding({ policyName: 'p' })])).to.throw(
      'binding "b.static.k8s.io" references policy "p" which does not exist in the manifest directory',
    )
  })
})
