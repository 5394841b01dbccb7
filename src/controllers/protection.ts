import type { TypedObject } from '../api/meta/object.ts'
import { getKind, type KindId, updateKind } from '../catalog/define.ts'
import type { ResourceId } from '../catalog/resource-access.ts'
import { errorMessage } from '../lib/error-message.ts'
import { isStatusError } from '../meta/status.ts'
import { type Controller, type ControllerEnvironment, follow, followMetadata, WorkQueue } from './controller.ts'

/** A kind whose objects a finalizer protects while others use them. */
export interface Protection<T extends TypedObject> {
  readonly kind: KindId<T>
  readonly finalizer: string
  /**
   * Returns a function that finds a user of an object, or undefined if it is unused. Called once per pass over a
   * namespace.
   */
  readonly findUsers: (env: ControllerEnvironment, namespace: string) => Promise<(object: T) => User | undefined>
  /** Kinds of users, except the kind itself. */
  readonly users: readonly UserKind[]
}

interface UserKind {
  readonly kind: ResourceId
  /** Whether a change of the object may end its use of others. A deletion always does. */
  readonly mayEndUse: (object: TypedObject) => boolean
}

/** An object that uses another. */
interface User {
  readonly kind: ResourceId
  readonly object: TypedObject
}

const userKey = ({
  kind: { resource },
  object: {
    metadata: { namespace = '', name = '' },
  },
}: User): string => `${resource}/${namespace}/${name}`

/** Adds the finalizer to objects that lack it, and removes it from deleted objects that are not in use. */
export const protectionController =
  <T extends TypedObject>(protection: Protection<T>): Controller =>
  async (env, signal) => {
    const protector = new Protector(protection, env, signal)
    await Promise.all([
      follow(env, protection.kind, signal, ({ type, object }) => {
        if (object && type !== 'deleted') protector.look(object)
      }),
      ...protection.users.map(({ kind, mayEndUse }) =>
        followMetadata(env, kind, signal, () => ({ type, object }) => {
          if (object && type !== 'added' && (type === 'deleted' || mayEndUse(object))) protector.changed(userKey({ kind, object }))
        }),
      ),
    ])
  }

/** Whether the finalizer of an object may have to be added or removed. */
export const mayNeedChange = (isDeleted: boolean, hasFinalizer: boolean): boolean => isDeleted === hasFinalizer

/** Tracks objects to process, and deleted objects that are still in use. */
class Protector<T extends TypedObject> {
  readonly #protection: Protection<T>
  readonly #env: ControllerEnvironment
  /** Processes one namespace at a time. Its users are listed once for all pending objects. */
  readonly #queue: WorkQueue
  /** Names of objects to process, by namespace. */
  readonly #pending = new Map<string, Set<string>>()
  /** Keys of deleted objects, by the key of the user they wait for. */
  readonly #waiting = new Map<string, Set<string>>()
  /** Users that changed during a pass, one set for each pass in progress. */
  readonly #changing = new Set<Set<string>>()

  constructor(protection: Protection<T>, env: ControllerEnvironment, signal: AbortSignal) {
    const { resource } = protection.kind
    this.#protection = protection
    this.#env = env
    this.#queue = new WorkQueue(
      4,
      signal,
      namespace => this.#settle(namespace),
      (namespace, error) => env.logger.debug(2, 'cannot update finalizers, retrying', { resource, namespace, error: errorMessage(error) }),
      env.queues?.meter(`${resource}_protection`),
    )
  }

  /** Schedules the object if it lacks the finalizer, or is deleted and still has it. */
  look({ metadata: { namespace = '', name = '', deletionTimestamp, finalizers = [] } }: T): void {
    if (mayNeedChange(deletionTimestamp !== undefined, finalizers.includes(this.#protection.finalizer))) this.#add(namespace, name)
  }

  /** Schedules the objects that wait for the user. */
  changed(user: string): void {
    for (const users of this.#changing) users.add(user)
    const waiting = this.#waiting.get(user)
    this.#waiting.delete(user)
    for (const key of waiting ?? []) {
      const [namespace = '', name = ''] = key.split('/')
      this.#add(namespace, name)
    }
  }

  #add(namespace: string, name: string): void {
    const names = this.#pending.get(namespace) ?? new Set()
    this.#pending.set(namespace, names.add(name))
    this.#queue.add(namespace)
  }

  /** Processes the pending objects of a namespace. Objects that fail stay pending. */
  async #settle(namespace: string): Promise<void> {
    const names = this.#pending.get(namespace) ?? new Set()
    this.#pending.delete(namespace)
    const changing = new Set<string>()
    this.#changing.add(changing)
    try {
      await this.#settleObjects(namespace, names, changing)
    } finally {
      this.#changing.delete(changing)
      const left = this.#pending.get(namespace) ?? new Set()
      for (const name of names) left.add(name)
      if (left.size > 0) this.#pending.set(namespace, left)
    }
  }

  /**
   * Processes objects and removes the names of those that are done. Rejects with the first failure, after all others
   * were tried.
   */
  async #settleObjects(namespace: string, names: Set<string>, changing: ReadonlySet<string>): Promise<void> {
    const { kind, finalizer, findUsers } = this.#protection
    const failures: unknown[] = []
    const attempt = async (work: () => Promise<void>): Promise<void> => work().catch(error => void failures.push(error))
    const deleted: T[] = []
    for (const name of names)
      await attempt(async () => {
        const object = await getKind(this.#env.access, kind, namespace, name).catch(absent)
        if (object?.metadata.deletionTimestamp !== undefined) {
          deleted.push(object)
          return
        }
        if (object) await this.#write(object, finalizers => [...finalizers, finalizer])
        names.delete(name)
      })
    if (deleted.length > 0) {
      const userOf = await findUsers(this.#env, namespace)
      for (const object of deleted) await attempt(() => this.#settleDeleted(object, userOf(object), names, changing))
    }
    if (failures.length > 0) throw failures[0]
  }

  /** Removes the finalizer of a deleted object, or waits for the end of its use. */
  async #settleDeleted(object: T, user: User | undefined, names: Set<string>, changing: ReadonlySet<string>): Promise<void> {
    const { namespace = '', name = '' } = object.metadata
    if (!user) await this.#write(object, finalizers => finalizers.filter(each => each !== this.#protection.finalizer))
    // An object that is its own user is scheduled when it changes.
    else if (user.object !== object) this.#wait(userKey(user), `${namespace}/${name}`, changing)
    names.delete(name)
  }

  #wait(user: string, key: string, changing: ReadonlySet<string>): void {
    const keys = this.#waiting.get(user) ?? new Set()
    this.#waiting.set(user, keys.add(key))
    // The user may have changed before the object started to wait.
    if (changing.has(user)) this.changed(user)
  }

  /** Changes the finalizers of an object, unless it was replaced or already has the wanted state. */
  async #write(
    { metadata: { namespace = '', name = '', uid, deletionTimestamp } }: T,
    change: (finalizers: readonly string[]) => string[],
  ): Promise<void> {
    const { kind, finalizer } = this.#protection
    const isDeleted = deletionTimestamp !== undefined
    await updateKind(this.#env.access, kind, { namespace, name }, now => {
      const { finalizers = [] } = now.metadata
      if (now.metadata.uid !== uid || finalizers.includes(finalizer) !== isDeleted) return undefined
      return { ...now, metadata: { ...now.metadata, finalizers: change(finalizers) } }
    }).catch(absent)
  }
}

function absent(error: unknown): undefined {
  if (!isStatusError(error, 'NotFound')) throw error
  return undefined
}
