import { LIMITS } from '../limits.ts'

/** What a key's name consists of, at any length. */
export const KEY_NAME = /^[A-Za-z0-9_]+$/
/** What a bundle's name consists of, at any length. */
export const BUNDLE_NAME = /^[A-Za-z0-9/_-]+$/

/** Whether a library key can have this name. */
export function isKeyName(name: string): boolean {
  return name.length <= LIMITS.nameLength && KEY_NAME.test(name)
}

/** Whether a bundle can have this name: parts joined by single slashes. */
export function isBundleName(name: string): boolean {
  return name.length <= LIMITS.nameLength && BUNDLE_NAME.test(name) && hasWholeParts(name)
}

/** Whether no `/` leads, trails or repeats. */
export function hasWholeParts(bundleName: string): boolean {
  return bundleName.split('/').every((part) => part !== '')
}

// Block comments cannot contain the pattern of an application.
// Whether this names bundles: a folder such as `partner/`, an application such as `*/shop`, or one bundle.
export function isBundlePattern(pattern: string): boolean {
  const application = pattern.startsWith('*/') ? pattern.slice(2) : null
  if (application !== null) return isBundleName(application) && !application.includes('/')
  return isBundleName(pattern.replace(/\/$/, ''))
}

/** Whether a shell, or a reader of shell-like files, can assign to this name. */
export function isAssignableName(name: string): boolean {
  return KEY_NAME.test(name) && !/^\d/.test(name)
}
