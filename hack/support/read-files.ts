import { cpSync } from 'node:fs'
import { basename, join } from 'node:path'
import { declarationTexts } from '../types/check.ts'

/** Declarations of a version are read by its group, and those of a configuration file by the module beside them. */
export const OF_VERSIONS = /^src\/api\/([^/]+\/[^/]+\.types)$/

/**
 * Copies what modules read from their own folder, declarations and descriptions of types, to the folder of the bundle,
 * which takes the place of each of them.
 */
export function copyReadFiles(root: string, target: string): void {
  cpSync(join(root, 'src/api/descriptions'), join(target, 'descriptions'), { recursive: true })
  for (const { file } of declarationTexts(root)) cpSync(join(root, file), join(target, OF_VERSIONS.exec(file)?.[1] ?? basename(file)))
}
