import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Modules with feature gates. Those of k8s.io/kubernetes are in no published module. */
const GATED = ['apiserver', 'apiextensions-apiserver', 'component-base', 'client-go']

/**
 * Packages of types outside k8s.io/api, by the path of their declarations: the module and the folder in it. A module
 * that a version does not have is skipped.
 */
const OTHER_TYPES: Readonly<Record<string, readonly (readonly [module: string, folder: string])[]>> = {
  'meta/v1': [['apimachinery', 'pkg/apis/meta/v1']],
  'apiextensions/v1': [['apiextensions-apiserver', 'pkg/apis/apiextensions/v1']],
  'apiextensions/v1beta1': [['apiextensions-apiserver', 'pkg/apis/apiextensions/v1beta1']],
  'apiregistration/v1': [['kube-aggregator', 'pkg/apis/apiregistration/v1']],
  'apiregistration/v1beta1': [['kube-aggregator', 'pkg/apis/apiregistration/v1beta1']],
}

/** Files of Go of one version of the modules of Kubernetes. */
export interface ModuleFiles {
  /** Version such as v0.37.2. */
  readonly version: string
  /** Returns the paths of group versions: `batch/v1`. */
  paths(): string[]
  /** Reports whether a group version may have moved to another module: it is not one of k8s.io/api, and not found. */
  isMissing(path: string): boolean
  /** Returns the texts of the files of a group version that declare types. */
  typeFiles(path: string): string[]
  /** Returns the text of the lifecycles of a group version, and that of `lifecycle.go`, which some have in addition. */
  lifecycles(path: string): string
  /** Returns the group of a group version by its marker: `batch`, `rbac.authorization.k8s.io`. */
  groupOf(path: string): string
  /** Returns the texts of the files that declare feature gates. */
  gateFiles(): string[]
  /** Returns the texts of the files that may declare metrics. */
  metricFiles(): string[]
}

/** Modules that the Go command downloads. */
export class GoModules implements ModuleFiles {
  readonly version: string
  readonly #scratch: string
  readonly #folders = new Map<string, string>()

  /** @param scratch folder to which archives are unpacked */
  constructor(version: string, scratch: string) {
    this.version = version
    this.#scratch = scratch
  }

  paths(): string[] {
    const api = this.#folder('api')
    const groups = readdirSync(api, { withFileTypes: true }).filter(entry => entry.isDirectory())
    const paths = groups.flatMap(({ name: group }) => {
      const versions = readdirSync(join(api, group)).filter(name => /^v\d/.test(name) && existsSync(join(api, group, name, 'types.go')))
      return versions.map(version => `${group}/${version}`)
    })
    return [...paths, ...Object.keys(OTHER_TYPES).filter(path => this.typeFiles(path).length > 0)]
  }

  isMissing(path: string): boolean {
    return Object.hasOwn(OTHER_TYPES, path) && this.typeFiles(path).length === 0
  }

  typeFiles(path: string): string[] {
    return this.#files(path, /^types(?!_swagger).*\.go$/)
  }

  lifecycles(path: string): string {
    return this.#files(path, /^(?:zz_generated\.prerelease-lifecycle|lifecycle)\.go$/).join('\n')
  }

  groupOf(path: string): string {
    const marker = this.#files(path, /^(?:doc|register)\.go$/).map(text => /\+groupName=(\S*)|const GroupName = "([^"]*)"/.exec(text))
    const found = marker.find(match => match !== null)
    return found?.[1] ?? found?.[2] ?? path.slice(0, path.indexOf('/'))
  }

  gateFiles(): string[] {
    return GATED.flatMap(module => this.#goFiles(module, /(?:^|\/)(?:kube|known)_features\.go$/))
  }

  metricFiles(): string[] {
    return ['apiserver', 'component-base', 'kube-aggregator', 'apiextensions-apiserver'].flatMap(module =>
      this.#goFiles(module, /(?<!_test)\.go$/),
    )
  }

  #goFiles(module: string, names: RegExp): string[] {
    const folder = this.#folder(module)
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => names.test(name))
    return files.map(name => readFileSync(join(folder, name), 'utf8'))
  }

  #files(path: string, names: RegExp): string[] {
    for (const [module, folder] of OTHER_TYPES[path] ?? [['api', path]]) {
      const found = join(this.#folder(module), folder)
      if (existsSync(found))
        return readdirSync(found)
          .filter(name => names.test(name) && !name.endsWith('_test.go'))
          .map(name => readFileSync(join(found, name), 'utf8'))
    }
    return []
  }

  #folder(module: string): string {
    const folder = this.#folders.get(module) ?? this.#download(module)
    this.#folders.set(module, folder)
    return folder
  }

  /**
   * Downloads a module, and returns its folder. A Go command that is older than the module requires only fetches the
   * archive, which is unpacked here.
   */
  #download(module: string): string {
    const name = `k8s.io/${module}@${this.version}`
    const { stdout, error } = spawnSync('go', ['mod', 'download', '-json', name], { cwd: this.#scratch, encoding: 'utf8' })
    if (error) throw new Error(`the Go command is needed: ${error.message}`)
    const { Dir, Zip, Error: reason } = JSON.parse(stdout || '{}') as { Dir?: string; Zip?: string; Error?: string }
    if (Dir !== undefined) return Dir
    if (Zip === undefined) throw new Error(reason ?? `go mod download ${name} failed`)
    const folder = join(this.#scratch, name)
    if (!existsSync(folder)) execFileSync('python3', ['-m', 'zipfile', '-e', Zip, this.#scratch])
    return folder
  }
}
