import { join, relative } from 'node:path'
import type { InputLimits } from '../../upgrade/input-limits.ts'
import { ManifestError, readManifestFile } from '../../upgrade/manifests.ts'
import type { SourceNode } from '../../upgrade/source/nodes.ts'
import type { CheckPosition } from '../types.ts'
import { type BuiltStep, followSteps, isSameScalar, memberEntry, memberNode, memberText, stepsTo, targetOf } from './built-path.ts'
import type { BuiltOrigin, KustomizeBuild } from './kustomize.ts'
import { type KustomizationFile, locateInPatch, type Patch, patchesOf } from './patch-sources.ts'
import { type FieldLocation, headOf, SourceText } from './position.ts'

/** Positions of a built object in the files that it is made of. */
export interface ObjectSources {
  /**
   * Returns where a node of the built object is written: a resource or patch with its value, or the kustomization that
   * sets it.
   */
  position(built: SourceNode, at: Pick<FieldLocation, 'node'>): CheckPosition | undefined
}

/** A kustomization that was built. */
export interface BuiltFolder {
  /** Path as it was passed. */
  readonly folder: string
  /** The same, without symbolic links. */
  readonly realFolder: string
  /** Path of its kustomization file. */
  readonly file: string
  readonly build: Extract<KustomizeBuild, { readonly text: string }>
}

/** Files that a kustomization is built of. They are read when they are first needed. */
export class KustomizeSources {
  /** Texts of the files that were read. */
  readonly texts: SourceText[] = []
  readonly #built: BuiltFolder
  readonly #limits: InputLimits
  readonly #files = new Map<string, KustomizationFile | undefined>()

  constructor(built: BuiltFolder, limits: InputLimits) {
    this.#built = built
    this.#limits = limits
  }

  /** Returns the sources of an object of the output. */
  of(kind: string, name: string, origin: BuiltOrigin | undefined): ObjectSources {
    return new BuiltObject(this, { kind, name, origin: origin ?? { kustomizations: [] } })
  }

  /** Kustomization files of an object, from the innermost to that of the folder. */
  kustomizations({ kustomizations, generatedIn }: BuiltOrigin): KustomizationFile[] {
    const paths = new Set([...(generatedIn === undefined ? [] : [generatedIn]), ...kustomizations])
    paths.delete(this.#built.file)
    return [...paths, this.#built.file].flatMap(path => this.read(path) ?? [])
  }

  /** Source of positions that are in no resource and no patch. */
  get remark(): string {
    return `the output of ${this.#built.build.command} ${this.#built.folder}`
  }

  /** Reads a file by its absolute path. Undefined if it is no manifest. */
  readonly read = (path: string): KustomizationFile | undefined => {
    if (!this.#files.has(path)) this.#files.set(path, this.#read(path))
    return this.#files.get(path)
  }

  #read(path: string): KustomizationFile | undefined {
    try {
      const { text: content, documents } = readManifestFile(path, this.#limits)
      const text = new SourceText(join(this.#built.folder, relative(this.#built.realFolder, path)), content)
      this.texts.push(text)
      return { path, text, roots: documents.map(({ root }) => root), position: range => text.position(range) }
    } catch (error) {
      if (error instanceof ManifestError) return undefined
      throw error
    }
  }
}

interface BuiltName {
  readonly kind: string
  readonly name: string
  readonly origin: BuiltOrigin
}

class BuiltObject implements ObjectSources {
  readonly #sources: KustomizeSources
  readonly #built: BuiltName

  constructor(sources: KustomizeSources, built: BuiltName) {
    this.#sources = sources
    this.#built = built
  }

  position(built: SourceNode, at: Pick<FieldLocation, 'node'>): CheckPosition | undefined {
    const steps = stepsTo(built, targetOf(at.node))
    if (steps === undefined) return undefined
    const kustomizations = this.#sources.kustomizations(this.#built.origin)
    return (
      this.#inResource(steps, at.node, true) ??
      this.#inPatches(kustomizations, steps, at.node) ??
      this.#inResource(steps, at.node, false) ??
      this.#inKustomization(kustomizations, steps)
    )
  }

  /** The document that the object was read from. */
  #resource(): { readonly file: KustomizationFile; readonly root: SourceNode } | undefined {
    const { kind, name, origin } = this.#built
    const file = origin.path === undefined ? undefined : this.#sources.read(origin.path)
    const roots = file?.roots.flatMap(root => listedItems(root)).filter(root => memberText(root, 'kind') === kind) ?? []
    const nameOf = (root: SourceNode): string => memberText(memberNode(root, 'metadata'), 'name')
    const root =
      roots.find(each => nameOf(each) === name) ??
      roots.find(each => name.includes(nameOf(each))) ??
      (roots.length === 1 ? roots[0] : undefined)
    return file && root && { file, root }
  }

  /** `isWhole`: whether the resource is meant for a map or list, parts of which patches may have set. */
  #inResource(steps: readonly BuiltStep[], node: SourceNode, isWhole: boolean): CheckPosition | undefined {
    const resource = this.#resource()
    const found = resource && followSteps(resource.root, steps)
    if (found === undefined || isWhole !== (node.kind !== 'scalar')) return undefined
    return isWhole
      ? resource?.file.position(found.range)
      : isSameScalar(found.node, node)
        ? resource?.file.position(found.range)
        : undefined
  }

  #inPatches(kustomizations: readonly KustomizationFile[], steps: readonly BuiltStep[], node: SourceNode): CheckPosition | undefined {
    const { kind, name } = this.#built
    const original = memberText(memberNode(this.#resource()?.root, 'metadata'), 'name')
    const patches = kustomizations.flatMap((file): Patch[] => patchesOf(file, this.#sources.read))
    const accepts = (found: SourceNode): boolean => node.kind !== 'scalar' || isSameScalar(found, node)
    for (const patch of patches.toReversed()) {
      const found = locateInPatch(patch, { kind, names: [name, original] }, steps, accepts)
      if (found) return found
    }
    return undefined
  }

  /** The member of a kustomization that sets the field, or the beginning of the outermost kustomization. */
  #inKustomization(kustomizations: readonly KustomizationFile[], steps: readonly BuiltStep[]): CheckPosition | undefined {
    const source = this.#sources.remark
    const wanted =
      this.#built.origin.generatedIn === undefined ? settersOf(steps) : ['configMapGenerator', 'secretGenerator', ...settersOf(steps)]
    for (const { roots, text } of kustomizations.toReversed()) {
      const [root] = roots
      if (root?.kind !== 'map') continue
      const entry = wanted.map(key => memberEntry(root, key)).find(each => each !== undefined)
      if (entry) return text.position({ start: entry.keyStart, end: entry.keyEnd }, source)
    }
    const last = kustomizations.at(-1)
    const [root] = last?.roots ?? []
    return last && root && last.text.position(headOf(root), source)
  }
}

/** Items of a List, or the object itself. */
function listedItems(root: SourceNode): readonly SourceNode[] {
  const items = memberText(root, 'kind') === 'List' ? memberNode(root, 'items') : undefined
  return items?.kind === 'list' ? items.items : [root]
}

/** Members of a kustomization that set a field. */
function settersOf(steps: readonly BuiltStep[]): readonly string[] {
  const keys = steps.flatMap(step => ('key' in step ? [step.key] : []))
  const last = keys.at(-1)
  if (keys.some(key => key === 'labels' || key === 'matchLabels' || key === 'selector')) return ['labels', 'commonLabels']
  if (keys.includes('annotations')) return ['commonAnnotations']
  if (last === 'image') return ['images']
  if (last === 'replicas') return ['replicas']
  if (last === 'namespace') return ['namespace']
  return last === 'name' ? ['namePrefix', 'nameSuffix'] : []
}
