import { isJsonObject } from '../../meta/object.ts'
import { objectsIn } from '../versions/old-version.ts'
import type { Subject } from './examine-object.ts'
import type { Finding } from './finding.ts'

/** A version of a custom kind, as its definition has it. */
interface CustomVersion {
  readonly isServed: boolean
  /** What the server says; absent where the version is not deprecated. */
  readonly warning?: string
}

/** Objects of custom kinds in versions that a definition among the subjects has deprecated, or does not serve. */
export function customVersionFindings(subjects: readonly Subject[]): Finding[] {
  const versions = customVersions(subjects)
  const groups = new Set([...versions.keys()].map(key => `${key.slice(0, key.indexOf('/'))} ${key.slice(key.indexOf(' ') + 1)}`))
  return subjects.flatMap(({ apiVersion, kind, label, place }): Finding[] => {
    if (!groups.has(`${apiVersion.slice(0, apiVersion.indexOf('/'))} ${kind}`)) return []
    const known = versions.get(`${apiVersion} ${kind}`)
    if (known?.isServed && known.warning === undefined) return []
    if (known?.isServed) return [{ rule: 'custom-version', level: 'warning', subject: label, place, message: known.warning ?? '' }]
    return [{ rule: 'custom-version', level: 'blocking', subject: label, place, message: `its definition does not serve ${apiVersion} ${kind}` }]
  })
}

function customVersions(subjects: readonly Subject[]): ReadonlyMap<string, CustomVersion> {
  const versions = new Map<string, CustomVersion>()
  for (const { kind, value } of subjects) {
    const spec = kind === 'CustomResourceDefinition' && isJsonObject(value.spec) ? value.spec : {}
    const names = isJsonObject(spec.names) ? spec.names : {}
    if (typeof spec.group !== 'string' || typeof names.kind !== 'string') continue
    const listed = objectsIn(spec.versions)
    if (listed.length === 0 && typeof spec.version === 'string') versions.set(`${spec.group}/${spec.version} ${names.kind}`, { isServed: true })
    for (const { name, served, deprecated, deprecationWarning } of listed) {
      const apiVersion = `${spec.group}/${String(name)}`
      const warning = typeof deprecationWarning === 'string' ? deprecationWarning : `${apiVersion} ${names.kind} is deprecated`
      versions.set(`${apiVersion} ${names.kind}`, { isServed: served !== false, ...(deprecated === true && { warning }) })
    }
  }
  return versions
}
