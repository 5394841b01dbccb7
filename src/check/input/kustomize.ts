import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { type Json, type JsonObject, objectIn } from '../../api/meta/object.ts'
import { parseYaml, YamlError } from '../../codec/yaml.ts'
import { readDocuments, SourceError } from '../../upgrade/source/nodes.ts'

/** Names of a kustomization file. */
const FILES = ['kustomization.yaml', 'kustomization.yml', 'Kustomization']

/** Returns the path of the kustomization file of a folder. Undefined if it has none. */
export const kustomizationFile = (folder: string): string | undefined =>
  FILES.map(name => join(folder, name)).find(file => existsSync(file))

/** Programs that build a kustomization, in order of preference. */
const BUILDERS: readonly (readonly [string, ...string[]])[] = [
  ['kustomize', 'build'],
  ['kubectl', 'kustomize'],
]

/** Bytes of output that are read. */
const MOST_BYTES = 64 << 20
/** A build that fetches remote bases may take this long, in milliseconds. */
const MOST_MS = 120_000

/** Output of a build, or the reason why there is none. */
export type KustomizeBuild = { readonly text: string; readonly command: string } | { readonly fault: string }

/** Builds a folder with `kustomize` or `kubectl` from the path. */
export function buildKustomization(folder: string): KustomizeBuild {
  for (const [program, ...args] of BUILDERS) {
    const { error, status, stdout, stderr } = spawnSync(program, [...args, folder], {
      encoding: 'utf8',
      maxBuffer: MOST_BYTES,
      timeout: MOST_MS,
    })
    if (error && 'code' in error && error.code === 'ENOENT') continue
    if (error) return { fault: `${program}: ${error.message}` }
    const command = [program, ...args].join(' ')
    return status === 0 ? { text: stdout, command } : { fault: `${command} failed: ${stderr.trim()}` }
  }
  return { fault: 'this folder is a kustomization, and neither kustomize nor kubectl is on the path: build it first and pass the output' }
}

/** Files that an object of the output is made of. Paths are absolute, without symbolic links. */
export interface BuiltOrigin {
  /** Optional. File of the resource. */
  readonly path?: string
  /** Optional. Kustomization whose generator creates the object. */
  readonly generatedIn?: string
  /** Kustomizations that change the object, in the order in which they do. */
  readonly kustomizations: readonly string[]
}

/** Name of an object in the output of a build. */
export const builtName = (apiVersion: unknown, kind: unknown, metadata: JsonObject): string =>
  [apiVersion, kind, metadata.namespace ?? '', metadata.name].map(String).join(' ')

/**
 * Returns the origins of the objects of a folder by `builtName`. Kustomize notes them as annotations if the outermost
 * kustomization asks for them: another one, in a temporary folder, contains the folder. Empty if that cannot be built.
 */
export function originsOf(folder: string): Map<string, BuiltOrigin> {
  const wrapper = realpathSync(mkdtempSync(join(tmpdir(), 'binnacle-kustomize-')))
  try {
    const resources = [relative(wrapper, realpathSync(folder))]
    writeFileSync(
      join(wrapper, 'kustomization.yaml'),
      JSON.stringify({ resources, buildMetadata: ['originAnnotations', 'transformerAnnotations'] }),
    )
    const built = buildKustomization(wrapper)
    if ('fault' in built) return new Map()
    return new Map(readDocuments(built.text).map(({ value }) => originOf(objectIn(value), wrapper)))
  } catch (error) {
    if (error instanceof SourceError) return new Map()
    throw error
  } finally {
    rmSync(wrapper, { recursive: true, force: true })
  }
}

const ORIGIN = 'config.kubernetes.io/origin'
const TRANSFORMATIONS = 'alpha.config.kubernetes.io/transformations'

/**
 * Reads the annotations of an object.
 * https://kubectl.docs.kubernetes.io/references/kustomize/kustomization/buildmetadata/
 */
function originOf({ apiVersion, kind, metadata }: JsonObject, wrapper: string): [string, BuiltOrigin] {
  const annotations = objectIn(objectIn(metadata).annotations)
  const { path, repo, configuredIn } = objectIn(annotationValue(annotations[ORIGIN]))
  const list = annotationValue(annotations[TRANSFORMATIONS])
  const changes = (Array.isArray(list) ? list : []).map(change => objectIn(change))
  const local = (file: unknown, from: unknown): string[] => (typeof file === 'string' && from === undefined ? [resolve(wrapper, file)] : [])
  const [resource] = local(path, repo)
  const [generatedIn] = local(configuredIn, repo)
  const kustomizations = changes.flatMap(change => local(change.configuredIn, change.repo))
  return [
    builtName(apiVersion, kind, objectIn(metadata)),
    {
      kustomizations: [...new Set(kustomizations)],
      ...(resource !== undefined && { path: resource }),
      ...(generatedIn !== undefined && { generatedIn }),
    },
  ]
}

function annotationValue(text: Json | undefined): Json | undefined {
  try {
    return typeof text === 'string' ? parseYaml(Buffer.from(text)).value : undefined
  } catch (error) {
    if (error instanceof YamlError) return undefined
    throw error
  }
}
