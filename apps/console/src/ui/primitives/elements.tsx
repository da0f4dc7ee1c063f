/**
 * The building blocks of all pages: native elements with the classes of `primitives.css`, and the few props that place
 * them. Form fields are in `fields.tsx`.
 */
import { type ComponentProps, type CSSProperties, createElement, type ReactNode } from "react";

const SPACES = { xs: "0.5rem", sm: "0.75rem", md: "1rem", lg: "1.5rem", xl: "2rem" } as const;
/** A named distance, or one in pixels. */
type Space = keyof typeof SPACES | number;
const toLength = (space: Space | undefined) => (typeof space === "string" ? SPACES[space] : space);

/** Margins (m), paddings (p), the gap between what is inside, and the size of a box in its row. */
export interface Placement {
  readonly gap?: Space | undefined;
  readonly m?: Space | undefined;
  readonly mt?: Space | undefined;
  readonly mb?: Space | undefined;
  readonly p?: Space | undefined;
  readonly px?: Space | undefined;
  readonly py?: Space | undefined;
  readonly pt?: Space | undefined;
  readonly pb?: Space | undefined;
  /** The largest width, in pixels. */
  readonly maw?: number | undefined;
  readonly flex?: CSSProperties["flex"];
}

/** Turns a placement into a style. @returns the other props with it */
export function place<Props extends Placement & { readonly style?: CSSProperties | undefined }>(
  props: Props,
) {
  const { gap, m, mt, mb, p, px, py, pt, pb, maw, flex, style, ...rest } = props;
  // no shorthand beside its parts: React clears those that are undefined
  const placed: CSSProperties = {
    ...style,
    gap: toLength(gap),
    marginInline: toLength(m),
    marginBlockStart: toLength(mt ?? m),
    marginBlockEnd: toLength(mb ?? m),
    paddingInline: toLength(px ?? p),
    paddingBlockStart: toLength(pt ?? py ?? p),
    paddingBlockEnd: toLength(pb ?? py ?? p),
    maxWidth: maw,
    flex,
  };
  return { ...rest, style: placed };
}

/** @returns the value of `class` without the names that are not there */
export const classes = (...names: readonly (string | false | null | undefined)[]) =>
  names.filter(Boolean).join(" ");

interface FlowProps extends Placement, ComponentProps<"div"> {
  readonly align?: "center" | "flex-start" | "flex-end";
}

/** A column. */
export const Stack = ({ align, className, ...rest }: FlowProps) => (
  <div
    {...place({ gap: "md", ...rest })}
    className={classes("stack", align && `align-${align}`, className)}
  />
);

interface GroupProps extends FlowProps {
  readonly justify?: "space-between" | "flex-end";
  readonly wrap?: "nowrap" | undefined;
}

/** A row that wraps. */
export const Group = ({ align, justify, wrap, className, ...rest }: GroupProps) => (
  <div
    {...place({ gap: "md", ...rest })}
    className={classes("group", align && `align-${align}`, justify && `justify-${justify}`, wrap, className)}
  />
);

interface PaperProps extends Placement, ComponentProps<"form"> {
  readonly component?: "div" | "section" | "form";
}

/** A card. */
export const Paper = ({ component = "div", className, ...rest }: PaperProps) =>
  createElement(component, { ...place(rest), className: classes("paper", className) });

interface TextProps extends Placement, ComponentProps<"p"> {
  readonly component?: "p" | "div" | "span";
  readonly size?: "sm" | "xl" | undefined;
  readonly c?: "dimmed" | "red" | undefined;
  readonly fw?: 600 | 650;
}

/** Text of 14 px; small text has 13 px. */
export const Text = ({ component = "p", size, c, fw, className, style, ...rest }: TextProps) =>
  createElement(component, {
    ...place({ ...rest, style: { fontWeight: fw, ...style } }),
    className: classes("text", size && `text-${size}`, c, className),
  });

interface TitleProps extends Placement, ComponentProps<"h1"> {
  readonly order: 1 | 2;
  /** The heading that it looks like. Default: itself. */
  readonly size?: "h3" | "h4" | "h5";
}

/** A heading. Its size may differ from its rank. */
export const Title = ({ order, size, className, ...rest }: TitleProps) =>
  createElement(`h${order}`, {
    ...place(rest),
    className: classes("title", size ?? `h${order}`, className),
  });

export interface ButtonLook extends Placement {
  readonly variant?: "filled" | "default" | "light" | "subtle" | undefined;
  readonly size?: "xs" | undefined;
  readonly color?: "red" | "gray" | undefined;
}
const buttonClass = ({ variant = "filled", size, color }: ButtonLook, className: string | undefined) =>
  classes("button", `button-${variant}`, size && "button-small", color && `button-${color}`, className);

export interface ButtonProps extends ButtonLook, Omit<ComponentProps<"button">, "color"> {}

export const Button = ({ variant, size, color, className, ...rest }: ButtonProps) => (
  <button type="button" {...place(rest)} className={buttonClass({ variant, size, color }, className)} />
);

interface ButtonAnchorProps extends ButtonLook, Omit<ComponentProps<"a">, "color"> {}

/** A link that looks like a button. */
export const ButtonAnchor = ({ variant, size, color, className, ...rest }: ButtonAnchorProps) => (
  <a {...place(rest)} className={buttonClass({ variant, size, color }, className)} />
);

export type Color = "green" | "yellow" | "red" | "gray";

interface AlertProps extends Placement, Omit<ComponentProps<"div">, "title" | "color"> {
  readonly color: Color;
  readonly title: ReactNode;
}

/** A message with a title. Screen readers read it when it appears. */
export const Alert = ({ color, title, role = "alert", className, children, ...rest }: AlertProps) => (
  <div {...place(rest)} role={role} data-color={color} className={classes("alert", className)}>
    <div className="alert-title">{title}</div>
    {children && <div className="alert-body">{children}</div>}
  </div>
);

interface BadgeProps extends Omit<ComponentProps<"span">, "color"> {
  readonly color?: Color;
}

/** A word that says the state of something. */
export const Badge = ({ color, className, ...rest }: BadgeProps) => (
  <span {...rest} data-color={color} className={classes("badge", className)} />
);

/** Stands for content that is loading. */
export const Skeleton = ({ height }: { readonly height: CSSProperties["height"] }) => (
  <div className="skeleton" style={{ height }} />
);

interface TableProps extends Placement, ComponentProps<"table"> {
  readonly verticalSpacing?: "xs" | "sm";
  readonly horizontalSpacing?: "sm" | "md" | "lg";
}

/** A table with a line between its rows. The spacings are the paddings of its cells. */
export const Table = ({ verticalSpacing, horizontalSpacing, className, style, ...rest }: TableProps) => {
  const spacing: Record<`--${string}`, string | undefined> = {
    "--cell-block": verticalSpacing && SPACES[verticalSpacing],
    "--cell-inline": horizontalSpacing && SPACES[horizontalSpacing],
  };
  return (
    <table {...place({ ...rest, style: { ...spacing, ...style } })} className={classes("table", className)} />
  );
};
