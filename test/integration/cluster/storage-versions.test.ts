import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const BOOKS = '/apis/example.com/v1/namespaces/default/books'
const only = (...controllers: string[]): string[] => controllers

const version = (name: string, storage: boolean): object => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: 'object' } },
})
const definition = (stored: 'v1' | 'v2') => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'books.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'books', kind: 'Book' },
    versions: [version('v1', stored === 'v1'), version('v2', stored === 'v2')],
  },
})

describe('storage version migrations', () => {
  /** Starts a server with a custom resource of two objects, whose storage version was changed. */
  async function startWithBooks(release: string, api: string, flags: object = {}): Promise<ControlPlane> {
    const plane = await startControlPlane({
      clock: 'stopped',
      flags: {
        profile: 'cluster',
        'emulated-version': release,
        controllers: only('storage-version-migrator-controller'),
        'runtime-config': [`${api}=true`],
        ...flags,
      },
    })
    await plane.apply(definition('v1'))
    for (const name of ['a', 'b'])
      await plane.apply({ apiVersion: 'example.com/v1', kind: 'Book', metadata: { name, namespace: 'default' } })
    await plane.apply(definition('v2'))
    return plane
  }
  const migrate = (plane: ControlPlane, api: string, name: string, resource: object): Promise<unknown> =>
    plane.apply({ apiVersion: api, kind: 'StorageVersionMigration', metadata: { name }, spec: { resource } })
  const conditions = async (plane: ControlPlane, api: string, name: string): Promise<string[]> => {
    const { body } = await plane.request<AnyObject>('GET', `/apis/${api}/storageversionmigrations/${name}`)
    return (body.status.conditions ?? []).map(({ type, status, reason }: AnyObject) => `${type}=${status} ${reason}`)
  }
  const versions = async (plane: ControlPlane): Promise<string[]> =>
    (await plane.request<{ items: AnyObject[] }>('GET', BOOKS)).body.items.map(({ metadata }) => metadata.resourceVersion ?? '')

  it('store the objects of a custom resource again, one migration at a time, and forget its old versions', async () => {
    const api = 'storagemigration.k8s.io/v1'
    const plane = await startWithBooks('1.37', api)
    try {
      const before = await versions(plane)
      for (const name of ['first', 'second']) await migrate(plane, api, name, { group: 'example.com', resource: 'books' })
      const done = ['Running=False MigrationCompleted', 'Succeeded=True StorageVersionMigrationSucceeded']
      for (const name of ['first', 'second']) {
        await plane.until(async () => (await conditions(plane, api, name)).includes(done[0] ?? ''))
        expect(await conditions(plane, api, name)).to.deep.equal(done)
      }
      const after = await versions(plane)
      for (const [i, version] of before.entries()) expect(after[i], 'the object is stored again').to.not.equal(version)
      const { status } = (await plane.request<AnyObject>('GET', `${DEFINITIONS}/books.example.com`)).body
      expect(status.storedVersions).to.deep.equal(['v2'])
      const migrating = status.conditions.find(({ type }: AnyObject) => type === 'StorageMigrating')
      expect(migrating).to.include({ status: 'False', reason: 'MigrationSucceeded' })
    } finally {
      await plane.stop()
    }
  })

  it('fail after a minute if the resource is unknown', async () => {
    const api = 'storagemigration.k8s.io/v1'
    const plane = await startWithBooks('1.37', api)
    try {
      await migrate(plane, api, 'm', { group: 'example.com', resource: 'films' })
      await plane.until(async () => (await conditions(plane, api, 'm')).length === 1)
      await plane.settled()
      expect(await conditions(plane, api, 'm')).to.deep.equal(['Running=True MigrationRunning'])
      await plane.advance('61s')
      await plane.until(async () => (await conditions(plane, api, 'm')).includes('Failed=True StorageVersionMigrationFailed'))
    } finally {
      await plane.stop()
    }
  })

  it('name the version of their resource before 1.35', async () => {
    const api = 'storagemigration.k8s.io/v1alpha1'
    const plane = await startWithBooks('1.33', api, { 'feature-gates': ['StorageVersionMigrator=true'] })
    try {
      const before = await versions(plane)
      await migrate(plane, api, 'm', { group: 'example.com', version: 'v2', resource: 'books' })
      await migrate(plane, api, 'none', { group: 'example.com', version: 'v3', resource: 'books' })
      await plane.until(async () => (await conditions(plane, api, 'm')).length === 2 && (await conditions(plane, api, 'none')).length === 1)
      expect(await conditions(plane, api, 'm')).to.deep.equal([
        'Running=False StorageVersionMigrationInProgress',
        'Succeeded=True StorageVersionMigrationSucceeded',
      ])
      expect(await conditions(plane, api, 'none')).to.deep.equal(['Failed=True StorageVersionMigrationFailed'])
      const after = await versions(plane)
      for (const [i, version] of before.entries()) expect(after[i]).to.not.equal(version)
    } finally {
      await plane.stop()
    }
  })
})

describe('storage versions of servers that are gone', () => {
  it('are removed, with an object that has no other', async () => {
    const plane = await startControlPlane({
      clock: 'stopped',
      flags: {
        profile: 'cluster',
        controllers: only('storageversion-garbage-collector-controller'),
        'feature-gates': ['StorageVersionAPI=true'],
        'runtime-config': ['internal.apiserver.k8s.io/v1alpha1=true'],
      },
    })
    try {
      const path = '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions'
      const lease = (name: string) => ({
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name, namespace: 'kube-system', labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver' } },
        spec: { holderIdentity: name, leaseDurationSeconds: 3600, renewTime: '2100-01-01T00:00:00.000000Z' },
      })
      await plane.apply(lease('one'))
      await plane.apply(lease('two'))
      const server = (apiServerID: string) => ({ apiServerID, encodingVersion: 'v1', decodableVersions: ['v1'] })
      for (const [name, servers] of [
        ['apps.deployments', ['one', 'two']],
        ['apps.replicasets', ['two']],
      ] as const) {
        const object = { apiVersion: 'internal.apiserver.k8s.io/v1alpha1', kind: 'StorageVersion', metadata: { name }, spec: {} }
        await plane.apply(object)
        const status = { storageVersions: servers.map(server), commonEncodingVersion: 'v1' }
        expect((await plane.request('PATCH', `${path}/${name}/status`, { body: { status } })).status).to.equal(200)
      }
      await plane.settled()
      await plane.request('DELETE', '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/two')
      await plane.until(async () => (await plane.request('GET', `${path}/apps.replicasets`)).status === 404)
      const ids = async (): Promise<string[]> => {
        const { status } = (await plane.request<AnyObject>('GET', `${path}/apps.deployments`)).body
        return status.storageVersions.map(({ apiServerID }: AnyObject) => apiServerID)
      }
      await plane.until(async () => (await ids()).length === 1)
      expect(await ids()).to.deep.equal(['one'])
    } finally {
      await plane.stop()
    }
  })
})
