import { type JsonObject, objectIn } from '../../api/meta/object.ts'
import { objectsIn } from '../../meta/json-members.ts'
import type { KindName } from '../versions/old-versions.ts'
import type { ExaminedObject } from './examine-object.ts'
import type { Finding } from './finding.ts'

/** A version of a custom kind in its definition. */
interface CustomVersion {
  readonly isServed: boolean
  /** Optional. Warning of the server. Unset if the version is not deprecated. */
  readonly warning?: string
}

/**
 * Reports objects of custom kinds in versions that their definition deprecates or does not serve. Subjects are added in
 * any order, and are not kept.
 */
export class CustomKinds {
  readonly #versions = new Map<string, CustomVersion>()
  /** Group and kind: `example.com Foo`. */
  readonly #kinds = new Set<string>()
  readonly #written: (KindName & Pick<ExaminedObject, 'label' | 'place'>)[] = []

  add(subject: ExaminedObject): void {
    const { apiVersion, kind, label, place, value, isListed, written = [] } = subject
    if (kind === 'CustomResourceDefinition') this.#define(value)
    else if (isCustom(apiVersion)) {
      const names = [...(isListed ? [] : [{ apiVersion, kind }]), ...written.filter(each => each.kind === kind)]
      for (const name of new Set(names.map(each => each.apiVersion))) this.#written.push({ apiVersion: name, kind, label, place })
    }
  }

  findings(): Finding[] {
    return this.#written.flatMap(({ apiVersion, kind, label, place }): Finding[] => {
      if (!this.#kinds.has(`${groupOf(apiVersion)} ${kind}`)) return []
      const known = this.#versions.get(`${apiVersion} ${kind}`)
      if (known?.isServed && known.warning === undefined) return []
      if (known?.isServed) return [{ rule: 'custom-version', level: 'warning', subject: label, place, message: known.warning ?? '' }]
      return [
        {
          rule: 'custom-version',
          level: 'blocking',
          subject: label,
          place,
          message: `its definition does not serve ${apiVersion} ${kind}`,
        },
      ]
    })
  }

  /**
   * Definitions of v1beta1 may have a single version in `spec.version`. Malformed ones are ignored: they have findings
   * of their own.
   */
  #define({ spec: given }: JsonObject): void {
    const spec = objectIn(given)
    const names = objectIn(spec.names)
    if (typeof spec.group !== 'string' || typeof names.kind !== 'string') return
    this.#kinds.add(`${spec.group} ${names.kind}`)
    const listed = objectsIn(spec.versions)
    if (listed.length === 0 && typeof spec.version === 'string')
      this.#versions.set(`${spec.group}/${spec.version} ${names.kind}`, { isServed: true })
    for (const { name, served, deprecated, deprecationWarning } of listed) {
      const apiVersion = `${spec.group}/${String(name)}`
      const warning = typeof deprecationWarning === 'string' ? deprecationWarning : `${apiVersion} ${names.kind} is deprecated`
      this.#versions.set(`${apiVersion} ${names.kind}`, { isServed: served !== false, ...(deprecated === true && { warning }) })
    }
  }
}

const groupOf = (apiVersion: string): string => apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')))

/** Reports whether a group may have custom kinds. Groups of Kubernetes itself without a dot have none. */
const isCustom = (apiVersion: string): boolean => groupOf(apiVersion).includes('.')
