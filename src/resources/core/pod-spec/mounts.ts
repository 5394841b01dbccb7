import type { Container, VolumeMount } from '../../../api/core/v1.types.ts'
import { enumValues } from '../../../catalog/types.ts'
import { repeats } from '../../../lib/repeats.ts'
import { isLongStepDone, type Steps } from '../../../lib/steps.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { duplicate, forbidden, invalid, notFound, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { hasBacksteps, validateDescendingPath } from '../volume/paths.ts'
import type { VolumesByName } from '../volume/validation.ts'

/** Rules of mounts that depend on gates and on the old object. */
export interface MountOptions {
  /** Whether mounts of image volumes may have a subPath or subPathExpr. */
  readonly allowImageSubPaths: boolean
}

const PROPAGATIONS = enumValues('core.MountPropagationMode')
const BIND_OPTIONS = ['nodev', 'noexec', 'nosuid']
const RECURSIVE_READ_ONLY = ['Disabled', 'Enabled', 'IfPossible']

/**
 * Validates mounts in steps: volumes exist, mount paths are unique, and bidirectional propagation requires a privileged
 * container. `volumes` holds only valid volumes, so a mount of an invalid one is reported as not found. Source:
 * pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function* validateMounts(
  container: Container,
  volumes: VolumesByName,
  path: FieldPath,
  { allowImageSubPaths }: MountOptions,
): Steps<FieldError[]> {
  const errors: FieldError[] = []
  const { volumeMounts: mounts = [], volumeDevices = [] } = container
  const devices = new Map(volumeDevices.map(device => [device.name, device.devicePath]))
  const devicePaths = new Set(devices.values())
  const mounted = new Set<string>()
  for (const [i, mount] of mounts.entries()) {
    if (isLongStepDone()) yield
    const at = path.index(i)
    const { name, mountPath } = mount
    if (name === '') errors.push(required(at.child('name')))
    if (!volumes.has(name)) errors.push(notFound(at.child('name'), name))
    if (mountPath === '') errors.push(required(at.child('mountPath')))
    if (mounted.has(mountPath)) errors.push(invalid(at.child('mountPath'), mountPath, 'must be unique'))
    mounted.add(mountPath)
    if (devices.has(name)) errors.push(invalid(at.child('name'), name, 'must not already exist in volumeDevices'))
    if (devicePaths.has(mountPath))
      errors.push(invalid(at.child('mountPath'), mountPath, 'must not already exist as a path in volumeDevices'))
    // Most of upstream’s paths below name the list, not its element.
    if (mount.subPath) errors.push(...validateDescendingPath(mount.subPath, path.child('subPath')))
    if (mount.subPathExpr) {
      if (mount.subPath) errors.push(invalid(at.child('subPathExpr'), mount.subPathExpr, 'subPathExpr and subPath are mutually exclusive'))
      errors.push(...validateDescendingPath(mount.subPathExpr, path.child('subPathExpr')))
    }
    if (!allowImageSubPaths && volumes.get(name)?.image) errors.push(...validateImageMount(mount, at))
    if (mount.mountPropagation !== undefined)
      errors.push(...validatePropagation(mount.mountPropagation, container, path.child('mountPropagation')))
    if (mount.bindMountOptions)
      errors.push(...validateBindOptions(mount.bindMountOptions, volumes.get(name)?.image !== undefined, at.child('bindMountOptions')))
    if (mount.recursiveReadOnly !== undefined)
      errors.push(...validateRecursiveReadOnly(mount.recursiveReadOnly, mount, path.child('recursiveReadOnly')))
  }
  return errors
}

/** Validates options of a mount, which a volume with an image does not have. */
function validateBindOptions(options: readonly string[], isImage: boolean, path: FieldPath): FieldError[] {
  if (isImage) return [forbidden(path, 'not allowed in image volume sources')]
  const again = repeats(options)
  return options.flatMap((option, i) => {
    if (!BIND_OPTIONS.includes(option)) return [notSupported(path.index(i), option, BIND_OPTIONS)]
    return again[i] ? [duplicate(path.index(i), option)] : []
  })
}

const validateImageMount = (mount: VolumeMount, path: FieldPath): FieldError[] =>
  (['subPath', 'subPathExpr'] as const).flatMap(name =>
    mount[name] ? [invalid(path.child(name), mount[name], 'not allowed in image volume sources')] : [],
  )

function validatePropagation(mode: string, container: Container, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (!PROPAGATIONS.includes(mode)) errors.push(notSupported(path, mode, PROPAGATIONS))
  if (mode === 'Bidirectional' && !container.securityContext?.privileged) {
    errors.push(forbidden(path, 'Bidirectional mount propagation is available only to privileged containers'))
  }
  return errors
}

/**
 * Checks recursiveReadOnly. `Enabled` and `IfPossible` require a read-only mount without propagation; `Disabled`
 * requires nothing.
 */
function validateRecursiveReadOnly(mode: string, mount: VolumeMount, path: FieldPath): FieldError[] {
  if (!RECURSIVE_READ_ONLY.includes(mode)) return [notSupported(path, mode, RECURSIVE_READ_ONLY)]
  const errors: FieldError[] = []
  if (mode === 'Disabled') return errors
  if (!mount.readOnly) errors.push(forbidden(path, 'may only be specified when readOnly is true'))
  if (mount.mountPropagation !== undefined && mount.mountPropagation !== 'None') {
    errors.push(forbidden(path, 'may only be specified when mountPropagation is None or not specified'))
  }
  return errors
}

/** Validates raw block devices in steps: they refer to claims, have unique paths, and are not mounted as well. */
export function* validateDevices(container: Container, volumes: VolumesByName, path: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  const { volumeMounts = [], volumeDevices: devices = [] } = container
  const mounts = new Map(volumeMounts.map(mount => [mount.name, mount.mountPath]))
  const mountPaths = new Set(mounts.values())
  const names = new Set<string>()
  const paths = new Set<string>()
  for (const [i, device] of devices.entries()) {
    if (isLongStepDone()) yield
    const at = path.index(i)
    const { name, devicePath } = device
    const volume = volumes.get(name)
    if (name === '') errors.push(required(at.child('name')))
    if (names.has(name)) errors.push(invalid(at.child('name'), name, 'must be unique'))
    if (volume && !volume.persistentVolumeClaim && !volume.ephemeral) {
      errors.push(invalid(at.child('name'), name, 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode'))
    }
    if (!volume) errors.push(notFound(at.child('name'), name))
    if (devicePath === '') errors.push(required(at.child('devicePath')))
    if (paths.has(devicePath)) errors.push(invalid(at.child('devicePath'), devicePath, 'must be unique'))
    if (hasBacksteps(devicePath)) errors.push(invalid(at.child('devicePath'), devicePath, "can not contain backsteps ('..')"))
    // An invalid path is not recorded, so a later one is not reported as its duplicate.
    else paths.add(devicePath)
    if (mounts.has(name)) errors.push(invalid(at.child('name'), name, 'must not already exist in volumeMounts'))
    if (mountPaths.has(devicePath))
      errors.push(invalid(at.child('devicePath'), devicePath, 'must not already exist as a path in volumeMounts'))
    if (name !== '') names.add(name)
  }
  return errors
}
