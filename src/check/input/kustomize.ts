import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Names of a kustomization file. */
const FILES = ['kustomization.yaml', 'kustomization.yml', 'Kustomization']

export const isKustomization = (folder: string): boolean => FILES.some(name => existsSync(join(folder, name)))

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
    const { error, status, stdout, stderr } = spawnSync(program, [...args, folder], { encoding: 'utf8', maxBuffer: MOST_BYTES, timeout: MOST_MS })
    if (error && 'code' in error && error.code === 'ENOENT') continue
    if (error) return { fault: `${program}: ${error.message}` }
    const command = [program, ...args].join(' ')
    return status === 0 ? { text: stdout, command } : { fault: `${command} failed: ${stderr.trim()}` }
  }
  return { fault: 'this folder is a kustomization, and neither kustomize nor kubectl is on the path: build it first and pass the output' }
}
