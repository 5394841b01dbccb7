// The script of the single executable: runs the bundles of dist, which are its assets, as bin/binnacle and
// bin/kube-apiserver do.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { getRawAsset } from 'node:sea'
import { compile, programOf, setProgramFlags } from '../../bin/load.mjs'

const requireBuiltin = createRequire(process.execPath)
let packages

/** Modules that the bundles require: modules of Node, packages outside the bundles, and their addons. */
function requireAny(name) {
  if (isBuiltin(name)) return requireBuiltin(name)
  if (name === 'lmdb.node' || name === 'fs-native-extensions.node') {
    const addon = loadAddon(name)
    release(getRawAsset(name))
    return addon
  }
  packages ??= bundle('packages')
  return packages(name)
}

/** Views of memory into which the file of the executable is mapped. */
const asset = name => Buffer.from(getRawAsset(name))

/** Where V8 has made of a bundle what it needs, the memory of its text is given back. */
function bundle(name, cache) {
  const filename = `dist/${name}.cjs`
  const assets = [filename, ...(cache === undefined ? [] : [cache])]
  const exports = compile({ filename, bytes: asset(filename), ...(cache && { cachedData: asset(cache) }), require: requireAny }).run()
  for (const one of assets) release(getRawAsset(one))
  return exports
}

/**
 * The system loads addons only from files. Only the owner can write to the file, and it is removed before this returns.
 */
function loadAddon(name) {
  const directory = mkdtempSync(join(tmpdir(), 'binnacle-addon-'))
  try {
    const file = join(directory, name)
    writeFileSync(file, asset(name), { mode: 0o600, flag: 'wx' })
    const module = { exports: {} }
    process.dlopen(module, file)
    return module.exports
  } catch (error) {
    error.message += `\n$TMPDIR must name a directory that may be written, and whose files may be executed (${tmpdir()})`
    throw error
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/**
 * Without its addon values that are nested deeper than some 1,000 levels are refused, and more memory is held on to.
 */
function setUpProcess() {
  try {
    return loadAddon('process-setup.node')
  } catch {
    return () => {}
  }
}

const release = setUpProcess()
if (basename(process.argv0) === 'kube-apiserver') process.argv.splice(2, 0, '--profile=apiserver')
const program = programOf(process.argv, process.env)
setProgramFlags(program)
const { main } = bundle(program, program === 'main' || program === 'check' ? `dist/${program}.cache` : undefined)
main?.(() => bundle('main', 'dist/main.cache'))
