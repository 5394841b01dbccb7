import { expect } from 'chai'
import type { Pod, ServiceAccount } from '../../../../../src/api/core/v1.types.ts'
import { podResource } from '../../../../../src/resources/core/pod/definition.ts'
import { type GetServiceAccount, serviceAccountAdmission } from '../../../../../src/resources/core/service-account/admission-plugin.ts'
import { admissionRequest, refusal } from '../../../../support/admission-request.ts'
import { podWith } from '../../../../support/pod.ts'

const MIRROR = { annotations: { 'kubernetes.io/config.mirror': 'x' } }
const INTERVAL_MS = 1
const signal = new AbortController().signal

const requestFor = (pod: object, ctx: object = { signal }) => admissionRequest(podResource, pod, { namespace: 'ns', name: 'p', ctx })
const accounts =
  (...names: string[]): GetServiceAccount =>
  async (namespace, name) =>
    names.includes(`${namespace}/${name}`)
      ? { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name }, imagePullSecrets: [{ name: 'pull' }] }
      : undefined

const pluginWith = (getAccount: GetServiceAccount, intervalMs = INTERVAL_MS) =>
  serviceAccountAdmission({ getAccount, intervalMs, nameSuffix: () => 'abcde' })

async function admitted(pod: Pod, getAccount?: GetServiceAccount): Promise<Pod> {
  const plugin = getAccount ? pluginWith(getAccount) : serviceAccountAdmission(undefined)
  await plugin.mutate?.(requestFor(pod))
  await plugin.validate?.(requestFor(pod))
  return pod
}

describe('the admission plugin ServiceAccount', () => {
  it('sets the account of a pod to default unless it names one', async () => {
    const getAccount = accounts('ns/default', 'ns/builder')
    expect((await admitted(podWith({}), getAccount)).spec).to.include({ serviceAccountName: 'default', serviceAccount: 'default' })
    expect((await admitted(podWith({ serviceAccountName: 'builder' }), getAccount)).spec).to.include({
      serviceAccountName: 'builder',
      serviceAccount: 'builder',
    })
  })

  it('rejects a pod whose account does not exist', async () => {
    const refused = (name: string) => refusal(admitted(podWith({ serviceAccountName: name }), accounts('other/builder')))
    expect(await refused('builder')).to.equal(
      'pods "p" is forbidden: error looking up service account ns/builder: serviceaccount "builder" not found',
    )
    expect(await refused('default')).to.equal(
      'pods "p" is forbidden: error looking up service account ns/default: serviceaccount "default" not found',
    )
  })

  it('waits for the default account, and for no other', async () => {
    const late = () => {
      let asked = 0
      return {
        getAccount: async (namespace: string, name: string) =>
          ++asked > 5 ? accounts(`${namespace}/${name}`)(namespace, name) : undefined,
        asked: () => asked,
      }
    }
    expect((await admitted(podWith({}), late().getAccount)).spec.serviceAccountName).to.equal('default')
    const other = late()
    expect(await refusal(admitted(podWith({ serviceAccountName: 'builder' }), other.getAccount))).to.include('not found')
    expect(other.asked()).to.equal(1)
  })

  it('stops waiting when the client disconnects', async () => {
    const ending = new AbortController()
    const plugin = pluginWith(async () => {
      ending.abort(new Error('gone'))
      return undefined
    }, 60_000)
    expect(await refusal(plugin.mutate?.(requestFor(podWith({}), { signal: ending.signal })))).to.equal('gone')
  })

  it('does not look up accounts if their controller is off', async () => {
    expect((await admitted(podWith({ serviceAccountName: 'builder' }))).spec.serviceAccountName).to.equal('builder')
  })

  it('adds the image pull secrets of the account unless the pod has some', async () => {
    const getAccount = accounts('ns/default')
    expect((await admitted(podWith({}), getAccount)).spec.imagePullSecrets).to.deep.equal([{ name: 'pull' }])
    expect((await admitted(podWith({ imagePullSecrets: [{ name: 'own' }] }), getAccount)).spec.imagePullSecrets).to.deep.equal([
      { name: 'own' },
    ])
  })

  it('ignores mirror pods, which must not name an account', async () => {
    expect((await admitted(podWith({}, MIRROR), accounts())).spec).not.to.have.property('serviceAccountName')
    expect(await refusal(admitted(podWith({ serviceAccountName: 'default' }, MIRROR), accounts('ns/default')))).to.equal(
      'pods "p" is forbidden: a mirror pod may not reference service accounts',
    )
  })

  it('rejects a pod without an account in the validating phase', async () => {
    const plugin = pluginWith(accounts('ns/default'))
    const validating = async () => plugin.validate?.(requestFor(podWith({})))
    expect(await refusal(validating())).to.equal('pods "p" is forbidden: no service account specified for pod ns/p')
  })

  const account =
    (own: Partial<ServiceAccount>): GetServiceAccount =>
    async (_namespace, name) => ({ kind: 'ServiceAccount', apiVersion: 'v1', ...own, metadata: { name, ...own.metadata } })
  const mount = { name: 'kube-api-access-abcde', readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }

  it('mounts a token, the CA certificate and the namespace into every container', async () => {
    const { spec } = await admitted(
      podWith({
        initContainers: [{ name: 'i' }],
        containers: [{ name: 'a' }, { name: 'b', volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
      }),
      account({}),
    )
    expect(spec.volumes).to.deep.equal([
      {
        name: 'kube-api-access-abcde',
        projected: {
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
            { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
            { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
          ],
          defaultMode: 420,
        },
      },
    ])
    expect([spec.initContainers?.[0]?.volumeMounts, spec.containers?.[0]?.volumeMounts]).to.deep.equal([[mount], [mount]])
    expect(spec.containers?.[1]?.volumeMounts).to.deep.equal([{ name: 'v', mountPath: '/v' }, mount])
  })

  it('reuses an existing volume, and keeps mounts at the same path', async () => {
    const volume = { name: 'kube-api-access-other', emptyDir: {} }
    const again = await admitted(podWith({ containers: [{ name: 'a' }], volumes: [volume] }), account({}))
    expect(again.spec.volumes).to.deep.equal([volume])
    expect(again.spec.containers?.[0]?.volumeMounts).to.deep.equal([{ ...mount, name: volume.name }])
    const own = [{ name: 'v', mountPath: mount.mountPath }]
    const taken = await admitted(podWith({ containers: [{ name: 'a', volumeMounts: own }] }), account({}))
    expect([taken.spec.volumes, taken.spec.containers?.[0]?.volumeMounts]).to.deep.equal([undefined, own])
  })

  const automounts: [pod: boolean | undefined, account: boolean | undefined, mounted: boolean][] = [
    [undefined, undefined, true],
    [undefined, false, false],
    [true, false, true],
    [false, true, false],
  ]
  for (const [ofPod, ofAccount, mounted] of automounts)
    it(`mounts ${mounted ? 'a' : 'no'} token if the pod specifies ${ofPod} and the account ${ofAccount}`, async () => {
      const pod = podWith({ containers: [{ name: 'a' }], ...(ofPod !== undefined && { automountServiceAccountToken: ofPod }) })
      const { spec } = await admitted(pod, account(ofAccount === undefined ? {} : { automountServiceAccountToken: ofAccount }))
      expect(spec.volumes !== undefined).to.equal(mounted)
    })

  it('mounts no token if the controller of accounts is off', async () => {
    expect((await admitted(podWith({ containers: [{ name: 'a' }] }))).spec.volumes).to.equal(undefined)
  })

  const secretKeyRef = (name: string) => ({ name: 'V', valueFrom: { secretKeyRef: { name, key: 'k' } } })
  const strict = account({
    metadata: { annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } },
    secrets: [{ name: 'known' }],
    imagePullSecrets: [{ name: 'pull' }],
  })
  const NOT_REFERENCED = 'is not allowed because service account default does not reference that secret'
  const references: Record<string, [spec: object, fault: string | undefined]> = {
    'the secrets that the account lists': [
      {
        containers: [{ name: 'a', env: [secretKeyRef('known')], envFrom: [{ secretRef: { name: 'known' } }] }],
        volumes: [{ name: 'v', secret: { secretName: 'known' } }],
        imagePullSecrets: [{ name: 'pull' }],
      },
      undefined,
    ],
    'a volume': [{ volumes: [{ name: 'v', secret: { secretName: 'other' } }] }, `volume with secret.secretName="other" ${NOT_REFERENCED}`],
    'a variable of an init container': [
      { initContainers: [{ name: 'i', env: [secretKeyRef('other')] }] },
      `init container i with envVar V referencing secret.secretName="other" ${NOT_REFERENCED}`,
    ],
    'variables of a container': [
      { containers: [{ name: 'a', envFrom: [{ secretRef: { name: 'other' } }] }] },
      `container a with envFrom referencing secret.secretName="other" ${NOT_REFERENCED}`,
    ],
    'a secret for images': [
      { imagePullSecrets: [{ name: 'pull' }, { name: 'other' }] },
      'imagePullSecrets[1].name="other" is not allowed because service account default does not reference that imagePullSecret',
    ],
  }
  for (const [what, [spec, fault]] of Object.entries(references))
    it(`limits pods of a strict account to its secrets: ${what}`, async () => {
      expect(await refusal(admitted(podWith({ automountServiceAccountToken: false, ...spec }), strict))).to.equal(
        fault && `pods "p" is forbidden: ${fault}`,
      )
      expect(await refusal(admitted(podWith(spec), account({})))).to.equal(undefined)
    })

  it('rejects such pods in the mutating phase, as upstream does', async () => {
    const mutated = (pod: Pod) => refusal((async () => pluginWith(strict).mutate?.(requestFor(pod)))())
    expect(await mutated(podWith({ imagePullSecrets: [{ name: 'other' }] }))).to.include('imagePullSecrets[0].name="other" is not allowed')
    expect(await mutated(podWith({ serviceAccountName: 'default' }, MIRROR))).to.equal(
      'pods "p" is forbidden: a mirror pod may not reference service accounts',
    )
  })

  it('limits ephemeral containers of a strict account to its secrets', async () => {
    const pod = podWith({ serviceAccountName: 'default', ephemeralContainers: [{ name: 'e', env: [secretKeyRef('other')] }] })
    const request = admissionRequest(podResource, pod, {
      namespace: 'ns',
      name: 'p',
      ctx: { signal },
      operation: 'UPDATE',
      subresource: 'ephemeralcontainers',
    })
    expect(pluginWith(strict).handles(request)).to.equal(true)
    expect(await refusal(pluginWith(strict).validate?.(request))).to.equal(
      `ephemeral container e with envVar V referencing secret.secretName="other" ${NOT_REFERENCED}`,
    )
    expect(await refusal(pluginWith(account({})).validate?.(request))).to.equal(undefined)
  })

  it('rejects mirror pods with secrets and tokens', async () => {
    const mirror = (spec: object) => refusal(admitted(podWith(spec, MIRROR), accounts()))
    expect(await mirror({ volumes: [{ name: 'v', secret: { secretName: 's' } }] })).to.equal(
      'pods "p" is forbidden: a mirror pod may not reference secrets',
    )
    expect(await mirror({ containers: [{ name: 'a', env: [secretKeyRef('s')] }] })).to.equal(
      'pods "p" is forbidden: a mirror pod may not reference secrets',
    )
    expect(await mirror({ volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] })).to.equal(
      'pods "p" is forbidden: a mirror pod may not use ServiceAccountToken volume projections',
    )
  })
})
