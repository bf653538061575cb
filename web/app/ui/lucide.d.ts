declare module 'lucide:*' {
  export const icon: import('./icon.tsx').IconComponent
}
