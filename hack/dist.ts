/**
 * Writes the files of a release for this platform and this Node, which the executable carries, from what `make build`
 * and `make package` have made: an archive with the executable, its bill of materials, and the SHA-256 sums of all that
 * is in `release`.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeExecutable } from './support/executable.ts'
import { licencesOf } from './support/licences.ts'
import { sbomOf } from './support/sbom.ts'

const root = join(import.meta.dirname, '..')
const release = join(root, 'release')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string }
const name = `binnacle-${version}-${process.platform}-${process.arch}`
const folder = join(release, name)
const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex')

const scratch = mkdtempSync(join(tmpdir(), 'binnacle-dist-'))
rmSync(folder, { recursive: true, force: true })
const executable = join(folder, 'binnacle')
const packages = await makeExecutable({ root, scratch, executable })
rmSync(scratch, { recursive: true, force: true })
symlinkSync('binnacle', join(folder, 'kube-apiserver'))
copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), licencesOf(process.execPath, packages))

const packed = spawnSync('tar', ['-czf', join(release, `${name}.tar.gz`), '-C', release, name], { encoding: 'utf8' })
if (packed.status !== 0) throw new Error(`tar failed:\n${packed.error?.message ?? packed.stderr}`)
// The variable of reproducible builds: seconds since 1970.
const time = process.env.SOURCE_DATE_EPOCH === undefined ? new Date() : new Date(Number(process.env.SOURCE_DATE_EPOCH) * 1000)
const subject = { name: `${name}/binnacle`, sha256: sha256(executable) }
writeFileSync(join(release, `${name}.cdx.json`), sbomOf({ root, packages, subject, versions: process.versions, time }))
const sums = readdirSync(release).filter(file => /^binnacle-.*\.(?:tgz|tar\.gz|cdx\.json)$/.test(file))
writeFileSync(join(release, 'SHA256SUMS'), sums.map(file => `${sha256(join(release, file))}  ${file}\n`).join(''))
for (const file of [`${name}/binnacle`, ...sums, 'SHA256SUMS']) console.log(`release/${file}`)
