import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import type { EmbeddedPackage } from './embedded-packages.ts'

/** The members of a CycloneDX 1.5 component that are written. */
interface Component {
  readonly 'bom-ref': string
  readonly type: string
  readonly name: string
  readonly version: string
  readonly purl?: string
  readonly [member: string]: unknown
}

interface Bom {
  readonly metadata: { readonly component: Component; readonly [member: string]: unknown }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
  readonly [member: string]: unknown
}

export interface SbomOptions {
  readonly root: string
  readonly packages: readonly EmbeddedPackage[]
  /** Its file name, and the SHA-256 sum of the executable. */
  readonly subject: { readonly name: string; readonly sha256: string }
  /** Of Node, as `process.versions` has them. */
  readonly versions: Readonly<Record<string, string | undefined>>
  readonly time: Date
}

/** Members of `process.versions` that are no parts. */
const NO_PARTS = new Set(['node', 'modules', 'napi', 'unicode', 'tz', 'cldr'])

/**
 * The bill of materials of an executable, in CycloneDX: what npm says of the packages within, and Node with its parts.
 * The same parts make the same bill.
 */
export function sbomOf({ root, packages, subject, versions, time }: SbomOptions): string {
  const bom = npmBom(root)
  const within = new Set(packages.map(({ name, version }) => `${name}@${version}`))
  const components = bom.components.filter(({ name, version }) => within.has(`${name}@${version}`))
  const missing = [...within].filter(id => !components.some(({ name, version }) => id === `${name}@${version}`))
  if (missing.length > 0) throw new Error(`npm sbom has no ${missing.join(', ')}`)
  const node = nodeComponent(versions)
  const { component } = bom.metadata
  const refs = new Set([component, ...components].map(one => one['bom-ref']))
  const dependencies = bom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({
      ref,
      dependsOn: [...dependsOn.filter(other => refs.has(other)), ...(ref === component['bom-ref'] ? [node['bom-ref']] : [])],
    }))
  const content = {
    metadata: {
      ...bom.metadata,
      timestamp: time.toISOString(),
      lifecycles: [{ phase: 'build' }],
      component: {
        ...component,
        type: 'application',
        name: 'binnacle',
        hashes: [{ alg: 'SHA-256', content: subject.sha256 }],
        properties: [{ name: 'file', value: subject.name }],
      },
    },
    components: [...components, node],
    dependencies,
  }
  return `${JSON.stringify({ ...bom, serialNumber: `urn:uuid:${uuidOf(JSON.stringify(content))}`, ...content }, undefined, 2)}\n`
}

function npmBom(root: string): Bom {
  const { status, stdout, stderr } = spawnSync('npm', ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  if (status !== 0) throw new Error(`npm sbom failed:\n${stderr}`)
  return JSON.parse(stdout) as Bom
}

function nodeComponent(versions: SbomOptions['versions']): Component {
  const version = versions.node ?? ''
  const parts = Object.entries(versions).filter(([name]) => !NO_PARTS.has(name))
  return {
    'bom-ref': `node@${version}`,
    type: 'platform',
    name: 'node',
    version,
    purl: `pkg:generic/node@${version}`,
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    components: parts.map(([name, part = '']) => ({ 'bom-ref': `node@${version}/${name}@${part}`, type: 'library', name, version: part })),
  }
}

/** A UUID of version 8, which is for what applications make of anything. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
