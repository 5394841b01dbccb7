import { expect } from 'chai'
import type { Pod, Service } from '../../../../src/api/core/v1.types.ts'
import { Informer } from '../../../../src/cluster/shared/informer.ts'
import { PODS, SERVICES } from '../../../../src/cluster/shared/kinds.ts'
import { podsBySelector, servicesByPod } from '../../../../src/cluster/shared/label-index.ts'
import { selectorOf, selectorOfMap } from '../../../../src/cluster/shared/selectors.ts'
import { FakeApiClient } from '../../../support/fake-api-client.ts'
import { podOf } from '../../../support/scheduling.ts'
import { serviceOf } from '../../../support/slices.ts'

/** More labels than are indexed. */
const wide = Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`label-${i}`, 'x']))

/** Returns the indexes of pods and services, and which kinds were listed whole since. */
async function observed(pods: readonly Pod[], services: readonly Service[]) {
  const ended = new AbortController()
  const client = new FakeApiClient()
  for (const pod of pods) await client.create(PODS, pod)
  for (const service of services) await client.create(SERVICES, service)
  const [podInformer, serviceInformer] = [new Informer(client, PODS), new Informer(client, SERVICES)]
  const [selected, selecting] = [podsBySelector(podInformer), servicesByPod(serviceInformer)]
  for (const informer of [podInformer, serviceInformer]) void informer.run(ended.signal)
  await Promise.all([podInformer.synced(), serviceInformer.synced()])
  ended.abort()
  // From here on, a list of the whole namespace would be a search that the index is to spare.
  const whole: string[] = []
  for (const [name, { store }] of [
    ['pods', podInformer],
    ['services', serviceInformer],
  ] as const) {
    const inNamespace = store.inNamespace.bind(store)
    Object.assign(store, {
      inNamespace(namespace: string) {
        whole.push(name)
        return inNamespace(namespace)
      },
    })
  }
  return { selected, selecting, whole }
}

const names = (objects: readonly (Pod | Service)[]): (string | undefined)[] => objects.map(({ metadata }) => metadata.name)

describe('an index by labels', () => {
  it('finds the pods of a selector by their rarest label', async () => {
    const pods = [
      podOf({ name: 'a1', labels: { app: 'a', env: 'x' } }),
      podOf({ name: 'a2', labels: { app: 'a', env: 'y' } }),
      podOf({ name: 'b', labels: { app: 'b', env: 'x' } }),
      podOf({ name: 'wide', labels: { ...wide, app: 'a', env: 'x' } }),
      podOf({ name: 'other', labels: { app: 'a', env: 'x' }, metadata: { name: 'other', namespace: 'other', labels: { app: 'a' } } }),
      podOf({ name: 'bare' }),
    ]
    const { selected, whole } = await observed(pods, [])
    const find = async (matchLabels: Record<string, string>): Promise<unknown> =>
      names(await selected('default', selectorOfMap(matchLabels)))
    expect(await find({ app: 'a' })).to.deep.equal(['a1', 'a2', 'wide'])
    expect(await find({ app: 'a', env: 'x' })).to.deep.equal(['a1', 'wide'])
    expect(await find({ app: 'b', env: 'x' })).to.deep.equal(['b'])
    expect(await find({ app: 'c' })).to.deep.equal([])
    const either = selectorOf({ matchExpressions: [{ key: 'app', operator: 'In', values: ['b', 'c'] }] })
    expect(whole).to.deep.equal([])
    expect(names(await selected('default', either))).to.deep.equal(['b'])
    expect(whole).to.deep.equal(['pods'])
  })

  it('finds the services of a pod by one of its labels', async () => {
    const services = [
      serviceOf({ selector: { app: 'a' } }, { name: 'a' }),
      serviceOf({ selector: { app: 'a', env: 'y' } }, { name: 'ay' }),
      serviceOf({ selector: { env: 'x' } }, { name: 'x' }),
      serviceOf({ selector: {} }, { name: 'none' }),
      serviceOf({ selector: wide }, { name: 'wide' }),
    ]
    const { selecting, whole } = await observed([], services)
    expect(names(selecting(podOf({ labels: { app: 'a', env: 'x' } })))).to.deep.equal(['a', 'x'])
    expect(names(selecting(podOf({ labels: { env: 'y' } })))).to.deep.equal([])
    expect(names(selecting(podOf()))).to.deep.equal([])
    expect(whole).to.deep.equal([])
    expect(names(selecting(podOf({ labels: { ...wide, app: 'a' } })))).to.deep.equal(['a', 'wide'])
    expect(whole).to.deep.equal(['services'])
  })
})
