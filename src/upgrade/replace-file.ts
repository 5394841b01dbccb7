import { lstatSync } from 'node:fs'
import { chmod, rename } from 'node:fs/promises'
import { withDraft } from '../lib/private-file.ts'
import { ManifestError } from './manifests.ts'

/**
 * Replaces the contents of a file and keeps its mode. The file is replaced in one step, so it is unchanged if the disk
 * is full. Throws ManifestError for a symbolic link, which could lead out of the folder. Throws system errors.
 */
export async function replaceFile(file: string, content: string | Buffer): Promise<void> {
  const found = lstatSync(file)
  if (found.isSymbolicLink())
    throw new ManifestError(file, undefined, 'this is a symbolic link: to change the file, pass the path of its target')
  await withDraft(file, content, async draft => {
    await chmod(draft, found.mode & 0o7777)
    await rename(draft, file)
  })
}
