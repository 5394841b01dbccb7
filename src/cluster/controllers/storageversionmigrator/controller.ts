import type { CustomResourceDefinition } from '../../../api/apiextensions/v1.types.ts'
import type { JsonObject, TypedObject } from '../../../api/meta/object.ts'
import { objectKey, type ResourceKind } from '../../../clients/api-client.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { isStatusError, undefinedIfNotFound } from '../../../meta/status.ts'
import { timeMillis } from '../../../meta/time.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, untilSynced } from '../../shared/environment.ts'
import { firstServed } from '../../shared/first-served.ts'
import type { Informer } from '../../shared/informer.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../shared/kinds.ts'
import type { KeyQueue } from '../../shared/work-queue.ts'
import { migratedDefinition, migratingDefinition } from './definition-status.ts'
import {
  type ConditionStyle,
  failedWith,
  hasEnded,
  hasSucceeded,
  IN_PROGRESS,
  isRunning,
  MIGRATIONS,
  type Migration,
  type MigrationState,
  nextMigration,
  PROMOTED,
  resourceNameOf,
  SUCCEEDED,
  stopped,
  withState,
} from './migration.ts'

const WORKERS = 5
const [NAME, RUNNER] = ['storage-version-migrator-controller', 'migration-runner-controller']
/** Namespace that cannot exist. A list of it costs nothing, and has the latest resource version. */
const NO_NAMESPACE = '@fake:svm_ns!'
/** Time for which the kind of a new migration may be missing, in milliseconds, from 1.35 on. */
const UNKNOWN_KIND_MS = 60_000
/** Reasons of errors after which an object is tried again. */
const RETRIABLE = ['ServerTimeout', 'TooManyRequests', 'ServiceUnavailable', 'InternalError', 'Timeout']

/**
 * Rewrites the objects of resources, so that they are stored in the current version. A key is a
 * StorageVersionMigration. Source: pkg/controller/storageversionmigrator of k8s.io/kubernetes.
 */
export const storageVersionMigrator: ClusterPart = async (env, signal) => {
  if (!env.features.enabled('StorageVersionMigrator')) return
  const kind = await firstServed(env, MIGRATIONS, signal)
  if (kind) await new StorageVersionMigrator(env, kind, signal).run()
}

class StorageVersionMigrator {
  readonly #env: ClusterEnvironment
  readonly #kind: ResourceKind<Migration>
  readonly #signal: AbortSignal
  readonly #migrations: Informer<Migration>
  readonly #queue: KeyQueue
  readonly #style: ConditionStyle
  /** Whether errors are part of messages, and objects that are newer than the migration are left alone. */
  readonly #isBeta: boolean

  constructor(env: ClusterEnvironment, kind: ResourceKind<Migration>, signal: AbortSignal) {
    this.#env = env
    this.#kind = kind
    this.#signal = signal
    this.#migrations = env.informers.of(kind)
    this.#isBeta = isSince(env.features.release, '1.35')
    this.#style = { version: kind.version, endsLater: isSince(env.features.release, '1.36') }
    this.#queue = queueOf(env, NAME, signal, { workers: WORKERS, work: key => this.#sync(key) })
  }

  async run(): Promise<void> {
    if (!(await untilSynced([this.#migrations], this.#signal))) return
    const changed = (migration: Migration): void => this.#queue.add(objectKey(migration))
    this.#migrations.on({ added: changed, updated: changed, deleted: migration => this.#lookAtNext(migration) })
    await untilAborted(this.#signal)
  }

  #lookAtNext(ended: Migration): void {
    const next = nextMigration(this.#migrations.store.list(), resourceNameOf(ended))
    if (next) this.#queue.add(objectKey(next))
  }

  async #sync(key: string): Promise<void> {
    const migration = this.#migrations.store.get(key)
    if (migration === undefined) return
    if (hasEnded(migration)) return this.#finish(migration)
    if (this.#style.endsLater && !isRunning(migration)) return this.#promote(migration)
    const kind = await this.#kindOf(migration)
    if (kind === undefined) return this.#missKind(key, migration)
    const { resourceVersion = '' } = migration.status
    if (resourceVersion === '') {
      const list = await this.#env.client.list(kind, kind.namespaced ? { namespace: NO_NAMESPACE } : {})
      await this.#write({ ...migration, status: { ...migration.status, resourceVersion: list.resourceVersion } })
    } else await this.#migrate(migration, kind, BigInt(resourceVersion))
  }

  /** Begins a migration, unless another one of its resource comes first. */
  async #promote(migration: Migration): Promise<void> {
    const next = nextMigration(this.#migrations.store.list(), resourceNameOf(migration))
    if (next?.metadata.uid !== migration.metadata.uid) return
    await this.#applyToDefinition(migration, definition =>
      migratingDefinition(definition, migration.metadata.name ?? '', this.#env.clock.now()),
    )
    await this.#setState(migration, PROMOTED)
  }

  async #finish(migration: Migration): Promise<void> {
    if (this.#style.endsLater && isRunning(migration)) {
      await this.#applyToDefinition(migration, definition => migratedDefinition(definition, hasSucceeded(migration), this.#env.clock.now()))
      await this.#write(stopped(migration, this.#env.clock.now()))
    } else this.#lookAtNext(migration)
  }

  /** Applies a status to the definition of a custom resource. Does nothing for other resources. */
  async #applyToDefinition(migration: Migration, statusOf: (definition: CustomResourceDefinition) => JsonObject): Promise<void> {
    const { client } = this.#env
    const name = resourceNameOf(migration)
    const definition = await client.get(CUSTOM_RESOURCE_DEFINITIONS, '', name).catch(undefinedIfNotFound)
    if (definition === undefined) return
    const target = { namespace: '', name, subresource: 'status' }
    await client.apply(CUSTOM_RESOURCE_DEFINITIONS, target, statusOf(definition), { fieldManager: RUNNER, force: true })
  }

  async #kindOf({ spec: { resource } }: Migration): Promise<ResourceKind<TypedObject> | undefined> {
    const kinds = await this.#env.client.kindsOf(resource.group ?? '')
    return kinds.find(kind => kind.resource === resource.resource && (resource.version === undefined || resource.version === kind.version))
  }

  async #missKind(key: string, migration: Migration): Promise<void> {
    const left = (timeMillis(migration.metadata.creationTimestamp) ?? 0) + UNKNOWN_KIND_MS - this.#env.clock.now()
    if (!this.#isBeta) await this.#setState(migration, failedWith('resource does not exist in discovery'))
    else if (left > 0) this.#queue.addAfter(key, left)
    else await this.#fail(migration, new Error('unable to obtain GVR from discovery'))
  }

  async #migrate(migration: Migration, kind: ResourceKind<TypedObject>, until: bigint): Promise<void> {
    const running = isRunning(migration) ? migration : await this.#setState(migration, IN_PROGRESS)
    const { items } = await this.#env.client.list(kind)
    for (const object of items) {
      if (this.#signal.aborted) return
      if (this.#isBeta && BigInt(object.metadata.resourceVersion ?? '0') > until) continue
      const failure = await this.#rewrite(kind, object)
      if (failure !== undefined) return this.#fail(running, failure)
    }
    await this.#setState(running, SUCCEEDED)
  }

  /**
   * Applies nothing to an object, which stores it again. Returns an error that ends the migration. Throws one after
   * which it goes on later.
   */
  async #rewrite(
    kind: ResourceKind<TypedObject>,
    { metadata: { namespace = '', name = '', uid = '', resourceVersion = '' } }: TypedObject,
  ): Promise<unknown> {
    try {
      // The uid and the version make this a conflict if the object has changed, and so was stored again, or is gone.
      await this.#env.client.apply(kind, { namespace, name }, { metadata: { uid, resourceVersion } }, { fieldManager: NAME })
      return undefined
    } catch (error) {
      if (isStatusError(error, 'Conflict')) return undefined
      if (!isStatusError(error) || RETRIABLE.includes(error.reason)) throw error
      return error
    }
  }

  async #fail(migration: Migration, error: unknown): Promise<void> {
    const what = 'migration encountered unhandled error'
    await this.#setState(migration, failedWith(this.#isBeta ? `${what}: ${errorMessage(error)}` : what))
  }

  #setState(migration: Migration, state: MigrationState): Promise<Migration> {
    return this.#write(withState(migration, state, this.#style, this.#env.clock.now()))
  }

  #write(migration: Migration): Promise<Migration> {
    return this.#env.client.update(this.#kind, migration, 'status')
  }
}
