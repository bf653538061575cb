import type { ComponentType, SVGAttributes } from 'react'

type IconProps = SVGAttributes<SVGSVGElement> & { size?: number }

/** An icon of icons.ts. */
export type IconComponent = ComponentType<IconProps>

/** What all icons have in common. Their shapes are its children (icon-modules.ts). A screen reader gets the text beside
 * an icon, or the label of its button. */
export function Icon({ size = 24, children, ...rest }: IconProps) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden
      {...rest}
    >
      {children}
    </svg>
  )
}
