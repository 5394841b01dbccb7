import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { declarationTexts } from '../types/check.ts'

/** Copies what modules read from their own folder, declarations and descriptions of types, to the folder of the bundle, which takes the place of each of them. */
export function copyReadFiles(root: string, target: string): void {
  cpSync(join(root, 'src/resources/descriptions'), join(target, 'descriptions'), { recursive: true })
  for (const { file } of declarationTexts(root)) cpSync(join(root, file), join(target, file.replace(/^src\/(?:audit|resources|schema|storage\/value)\//, '')))
}
