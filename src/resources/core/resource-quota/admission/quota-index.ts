import { Filling } from '../../../../admission/filling.ts'
import type { ResourceQuota } from '../../v1.types.ts'

interface Entry {
  /** As the watch has it. */
  watched: ResourceQuota
  /** As it was written since; dropped when the watch has caught up. */
  written?: ResourceQuota
}

const revisionOf = ({ metadata }: ResourceQuota): number => Number(metadata.resourceVersion)

/** The quotas of all namespaces, which `controllers/follow-quotas.ts` keeps as the watch cache has them. A namespace without quotas costs one look into a map. */
export class QuotaIndex {
  /** Quotas are read from the store until all have been seen once. */
  readonly filling = new Filling()
  readonly #namespaces = new Map<string, Map<string, Entry>>()

  /** Whether requests in the namespace may have to be counted. */
  concerns(namespace: string): boolean {
    return this.#namespaces.has(namespace) || this.filling.isOpen
  }

  /** Those of a namespace. What this server has written itself is in them before the watch shows it. */
  quotasOf(namespace: string): ResourceQuota[] {
    return [...(this.#namespaces.get(namespace)?.values() ?? [])].map(({ watched, written }) => written ?? watched)
  }

  /** Keys are `namespace/name`. */
  *keys(): Iterable<string> {
    for (const [namespace, quotas] of this.#namespaces) for (const name of quotas.keys()) yield `${namespace}/${name}`
  }

  put(quota: ResourceQuota): void {
    const { namespace = '', name = '' } = quota.metadata
    const quotas = this.#namespaces.get(namespace) ?? new Map<string, Entry>()
    this.#namespaces.set(namespace, quotas)
    const written = quotas.get(name)?.written
    quotas.set(name, { watched: quota, ...(written && revisionOf(written) > revisionOf(quota) && { written }) })
  }

  remove(namespace: string, name: string): void {
    const quotas = this.#namespaces.get(namespace)
    quotas?.delete(name)
    if (quotas?.size === 0) this.#namespaces.delete(namespace)
  }

  /** Keeps what a write has made of a quota. One that the watch does not know, or no longer, is left to the watch. */
  wrote(quota: ResourceQuota): void {
    const { namespace = '', name = '' } = quota.metadata
    const entry = this.#namespaces.get(namespace)?.get(name)
    if (entry && revisionOf(quota) > revisionOf(entry.written ?? entry.watched)) entry.written = quota
  }
}
