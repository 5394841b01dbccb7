import { expect } from 'chai'
import { podResource } from '../../../../../src/resources/core/pod/definition.ts'
import { type GetServiceAccount, serviceAccountAdmission } from '../../../../../src/resources/core/service-account/admission-plugin.ts'
import type { Pod } from '../../../../../src/resources/core/v1.types.ts'
import { admissionRequest, refusal } from '../../../../support/admission-request.ts'
import { podWith } from '../../../../support/pod.ts'

const MIRROR = { annotations: { 'kubernetes.io/config.mirror': 'x' } }
const INTERVAL_MS = 1
const signal = new AbortController().signal

const requestFor = (pod: object, ctx: object = { signal }) => admissionRequest(podResource, pod, { namespace: 'ns', name: 'p', ctx })
const accounts =
  (...names: string[]): GetServiceAccount =>
  async (namespace, name) =>
    names.includes(`${namespace}/${name}`) ? { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name }, imagePullSecrets: [{ name: 'pull' }] } : undefined

async function admitted(pod: Pod, getAccount?: GetServiceAccount): Promise<Pod> {
  const plugin = serviceAccountAdmission(getAccount, INTERVAL_MS)
  await plugin.mutate?.(requestFor(pod))
  await plugin.validate?.(requestFor(pod))
  return pod
}

describe('the admission plugin ServiceAccount', () => {
  it('gives a pod the account default, or leaves it the one that it names', async () => {
    const getAccount = accounts('ns/default', 'ns/builder')
    expect((await admitted(podWith({}), getAccount)).spec).to.include({ serviceAccountName: 'default', serviceAccount: 'default' })
    expect((await admitted(podWith({ serviceAccountName: 'builder' }), getAccount)).spec).to.include({
      serviceAccountName: 'builder',
      serviceAccount: 'builder',
    })
  })

  it('refuses a pod whose account is not there', async () => {
    const refused = (name: string) => refusal(admitted(podWith({ serviceAccountName: name }), accounts('other/builder')))
    expect(await refused('builder')).to.equal('pods "p" is forbidden: error looking up service account ns/builder: serviceaccount "builder" not found')
    expect(await refused('default')).to.equal('pods "p" is forbidden: error looking up service account ns/default: serviceaccount "default" not found')
  })

  it('waits for the account default, and for no other', async () => {
    const late = () => {
      let asked = 0
      return {
        getAccount: async (namespace: string, name: string) => (++asked > 5 ? accounts(`${namespace}/${name}`)(namespace, name) : undefined),
        asked: () => asked,
      }
    }
    expect((await admitted(podWith({}), late().getAccount)).spec.serviceAccountName).to.equal('default')
    const other = late()
    expect(await refusal(admitted(podWith({ serviceAccountName: 'builder' }), other.getAccount))).to.include('not found')
    expect(other.asked()).to.equal(1)
  })

  it('waits no longer than the client does', async () => {
    const ending = new AbortController()
    const plugin = serviceAccountAdmission(async () => {
      ending.abort(new Error('gone'))
      return undefined
    }, 60_000)
    expect(await refusal(plugin.mutate?.(requestFor(podWith({}), { signal: ending.signal })))).to.equal('gone')
  })

  it('looks up none where nobody makes accounts', async () => {
    expect((await admitted(podWith({ serviceAccountName: 'builder' }))).spec.serviceAccountName).to.equal('builder')
  })

  it("has images pulled with the account's secrets where the pod names none", async () => {
    const getAccount = accounts('ns/default')
    expect((await admitted(podWith({}), getAccount)).spec.imagePullSecrets).to.deep.equal([{ name: 'pull' }])
    expect((await admitted(podWith({ imagePullSecrets: [{ name: 'own' }] }), getAccount)).spec.imagePullSecrets).to.deep.equal([{ name: 'own' }])
  })

  it('leaves mirror pods alone, which may name no account', async () => {
    expect((await admitted(podWith({}, MIRROR), accounts())).spec).not.to.have.property('serviceAccountName')
    expect(await refusal(admitted(podWith({ serviceAccountName: 'default' }, MIRROR), accounts('ns/default')))).to.equal(
      'pods "p" is forbidden: a mirror pod may not reference service accounts',
    )
  })

  it('refuses a pod that has lost its account on the way', async () => {
    const plugin = serviceAccountAdmission(accounts('ns/default'), INTERVAL_MS)
    expect(await refusal(plugin.validate?.(requestFor(podWith({}))))).to.equal('pods "p" is forbidden: no service account specified for pod ns/p')
  })
})
