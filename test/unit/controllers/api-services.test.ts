import { expect } from 'chai'
import { Catalog } from '../../../src/catalog/catalog.ts'
import { apiServiceController } from '../../../src/controllers/api-services.ts'
import { BUILTIN_PRIORITIES } from '../../../src/resources/apiregistration/priorities.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { builtinRegistry, controllerEnvironment } from '../../support/builtin-registry.ts'
import { servedBuiltins } from '../../support/served-builtins.ts'
import { widgetResource } from '../../support/test-registry.ts'
import { eventually } from '../../support/waiting.ts'

const API_SERVICES = { group: 'apiregistration.k8s.io', resource: 'apiservices' }
const LABEL = 'kube-aggregator.kubernetes.io/automanaged'

const service = (group: string, version: string, managed?: string): AnyObject => ({
  kind: 'APIService',
  apiVersion: 'apiregistration.k8s.io/v1',
  metadata: { name: `${version}.${group}`, ...(managed !== undefined && { labels: { [LABEL]: managed } }) },
  spec: { group, version, groupPriorityMinimum: 1, versionPriority: 1 },
})

async function started(...before: AnyObject[]) {
  const t = builtinRegistry()
  const access = t.access()
  for (const object of before) await access.create(API_SERVICES, '', object)
  const catalog = new Catalog(servedBuiltins())
  const end = new AbortController()
  let completions = 0
  const running = apiServiceController(catalog, () => completions++)(controllerEnvironment(t), end.signal)
  const get = (name: string) => access.get(API_SERVICES, '', name)
  const names = async () => (await access.list(API_SERVICES, '')).items.map(({ metadata }) => metadata.name as string)
  await eventually('they are made', async () => (await names()).includes('v1.') && (await get('v1.apps')).spec.versionPriority === 15)
  const ended = async () => {
    end.abort()
    await running
  }
  return { access, catalog, get, names, ended, completions: () => completions }
}
const gone = (get: (name: string) => Promise<AnyObject>, name: string) =>
  get(name).then(
    () => false,
    () => true,
  )

describe('apiServiceController', () => {
  it('creates one for each served group version except apiregistration.k8s.io', async () => {
    const { catalog, get, names, ended, completions } = await started()
    const served = catalog
      .snapshot()
      .servedGroupVersions()
      .filter(name => name !== 'apiregistration.k8s.io/v1')
    await eventually('all are there', async () => (await names()).length === served.length)
    await eventually('it is told', () => completions() === 1)
    expect(Object.keys(BUILTIN_PRIORITIES)).to.include.members(served)
    const core = await get('v1.')
    expect(core.metadata.labels).to.deep.equal({ [LABEL]: 'onstart' })
    expect(core.spec).to.deep.equal({ version: 'v1', groupPriorityMinimum: 18_000, versionPriority: 1 })
    expect(core.status.conditions[0].reason).to.equal('Local')
    expect((await get('v1.apps')).spec).to.deep.equal({ group: 'apps', version: 'v1', groupPriorityMinimum: 17_800, versionPriority: 15 })
    await ended()
  })

  it('reconciles built-in ones once, and deletes those of versions that are no longer served', async () => {
    const { access, get, ended } = await started(
      service('apps', 'v1', 'onstart'),
      service('former.example.com', 'v1', 'onstart'),
      service('mine.example.com', 'v1'),
    )
    await eventually('the former one is gone', () => gone(get, 'v1.former.example.com'))
    expect((await get('v1.mine.example.com')).spec.versionPriority).to.equal(1)
    await access.update(API_SERVICES, '', 'v1.apps', now => ({ ...now, spec: { ...now.spec, versionPriority: 99 } }))
    await access.create(API_SERVICES, '', service('later.example.com', 'v1', 'onstart'))
    await access.create(API_SERVICES, '', service('last.example.com', 'v1', 'true'))
    await eventually('what is managed always is gone', () => gone(get, 'v1.last.example.com'))
    expect((await get('v1.apps')).spec.versionPriority).to.equal(99)
    expect((await get('v1.later.example.com')).metadata.name).to.equal('v1.later.example.com')
    await ended()
  })

  it('follows custom kinds, and keeps reconciling them', async () => {
    const { access, catalog, get, ended } = await started()
    const builtins = catalog.snapshot().definitions
    catalog.replace([...builtins, widgetResource()])
    await eventually('there is one more', async () => !(await gone(get, 'v1.example.io')))
    const custom = await get('v1.example.io')
    expect(custom.metadata.labels).to.deep.equal({ [LABEL]: 'true' })
    expect(custom.spec).to.deep.equal({ group: 'example.io', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 })
    await access.update(API_SERVICES, '', 'v1.example.io', now => ({ ...now, spec: { ...now.spec, versionPriority: 99 } }))
    await eventually('it is as it was', async () => (await get('v1.example.io')).spec.versionPriority === 100)
    await access.delete(API_SERVICES, '', 'v1.example.io')
    await eventually('it is there again', async () => !(await gone(get, 'v1.example.io')))
    catalog.replace(builtins)
    await eventually('it is gone', () => gone(get, 'v1.example.io'))
    await ended()
  })
})
