// Writes release/binnacle-VERSION.tgz, the package for npm, from what `make build` has built.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { stagePackage } from './support/stage-package.ts'

const root = join(import.meta.dirname, '..')
const release = join(root, 'release')
const staged = join(release, 'package')

stagePackage(root, staged)
const packed = spawnSync('npm', ['pack', '--silent', '--pack-destination', release], { cwd: staged, encoding: 'utf8' })
if (packed.status !== 0) throw new Error(`npm pack failed:\n${packed.stderr}`)
console.log(`release/${packed.stdout.trim()}`)
