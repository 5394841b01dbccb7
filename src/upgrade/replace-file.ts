import { lstatSync } from 'node:fs'
import { chmod, rename } from 'node:fs/promises'
import { withDraft } from '../lib/private-file.ts'
import { ManifestError } from './manifests.ts'

/**
 * Puts another text into a file, which keeps its mode. The text takes its place in one step: where the disk is full, what was there stays. Throws ManifestError for a link: a folder of somebody else's may
 * have links that lead out of it. Throws errors of the system.
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  const found = lstatSync(file)
  if (found.isSymbolicLink()) throw new ManifestError(file, undefined, 'this is a symbolic link: name the file that it leads to, to have it changed')
  await withDraft(file, text, async draft => {
    await chmod(draft, found.mode & 0o7777)
    await rename(draft, file)
  })
}
