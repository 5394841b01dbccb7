import { Filling } from '../../../../admission/filling.ts'
import type { ResourceQuota } from '../../../../api/core/v1.types.ts'

interface QuotaEntry {
  /** The quota as the watch delivered it. */
  watched: ResourceQuota
  /** The quota as this server wrote it later. Dropped when the watch has caught up. */
  written?: ResourceQuota
}

const quotaRevision = ({ metadata }: ResourceQuota): number => Number(metadata.resourceVersion)

/**
 * The quotas of all namespaces, which `controllers/follow-quotas.ts` keeps in sync with the watch cache. For a
 * namespace without quotas, admission costs one map lookup.
 */
export class QuotaIndex {
  /** Quotas are read from the store until the index has been filled. */
  readonly filling = new Filling()
  readonly #namespaces = new Map<string, Map<string, QuotaEntry>>()

  /** Reports whether requests in the namespace may be subject to a quota. */
  concerns(namespace: string): boolean {
    return this.#namespaces.has(namespace) || this.filling.isOpen
  }

  /** Returns the quotas of a namespace. Writes by this server are included before the watch delivers them. */
  quotasOf(namespace: string): ResourceQuota[] {
    return [...(this.#namespaces.get(namespace)?.values() ?? [])].map(({ watched, written }) => written ?? watched)
  }

  /** Yields keys of the form `namespace/name`. */
  *keys(): Iterable<string> {
    for (const [namespace, quotas] of this.#namespaces) for (const name of quotas.keys()) yield `${namespace}/${name}`
  }

  put(quota: ResourceQuota): void {
    const { namespace = '', name = '' } = quota.metadata
    const quotas = this.#namespaces.get(namespace) ?? new Map<string, QuotaEntry>()
    this.#namespaces.set(namespace, quotas)
    const written = quotas.get(name)?.written
    quotas.set(name, { watched: quota, ...(written && quotaRevision(written) > quotaRevision(quota) && { written }) })
  }

  remove(namespace: string, name: string): void {
    const quotas = this.#namespaces.get(namespace)
    quotas?.delete(name)
    if (quotas?.size === 0) this.#namespaces.delete(namespace)
  }

  /** Records the result of a write. A quota that the watch has not delivered yet, or has deleted, is ignored. */
  wrote(quota: ResourceQuota): void {
    const { namespace = '', name = '' } = quota.metadata
    const entry = this.#namespaces.get(namespace)?.get(name)
    if (entry && quotaRevision(quota) > quotaRevision(entry.written ?? entry.watched)) entry.written = quota
  }
}
