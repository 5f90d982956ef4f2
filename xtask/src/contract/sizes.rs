//! Boxes the large variants of unions, so that small variants do not take the same space.

use super::lower::{Item, Items, Type};

/// The size in bytes from which a variant is boxed. It is below clippy's limit for size
/// differences.
const LARGE: usize = 160;

pub(super) fn box_large_variants(items: &mut Items) {
    let mut large = Vec::new();
    for (location, of_module) in &*items {
        for (name, item) in of_module {
            let Item::Union { variants, .. } = item else {
                continue;
            };
            for (index, (_, _, ty)) in variants.iter().enumerate() {
                if size(ty, location.folder, items, 0) > LARGE {
                    large.push((location.clone(), name.clone(), index));
                }
            }
        }
    }
    for (location, name, index) in large {
        let item = items.get_mut(&location).and_then(|of_module| of_module.get_mut(&name));
        if let Some(Item::Union { variants, .. }) = item
            && let Some((_, _, ty)) = variants.get_mut(index)
        {
            *ty = Type::Boxed(Box::new(ty.clone()));
        }
    }
}

/// Estimates the size of a type in bytes.
fn size(ty: &Type, folder: &str, items: &Items, depth: usize) -> usize {
    let inner = |ty: &Type| size(ty, folder, items, depth + 1);
    match ty {
        Type::Plain("bool") => 1,
        Type::Plain("u64" | "f64" | "Timestamp" | "Number") => 8,
        Type::Plain("Value") => 72,
        Type::Plain(_) | Type::Vec(_) | Type::Map(_) => 24,
        Type::Boxed(_) => 8,
        Type::List(_) => 72,
        Type::Option(ty) | Type::Patch(ty) => inner(ty) + 8,
        Type::Named(_) if depth > 16 => LARGE,
        Type::Named(name) => {
            let locations = items.iter().filter(|(location, _)| location.folder == folder);
            match locations.filter_map(|(_, of_module)| of_module.get(name)).next() {
                Some(Item::Struct { fields, .. }) => fields.iter().map(|f| inner(&f.ty)).sum(),
                Some(Item::Union { variants, .. }) => {
                    variants.iter().map(|(_, _, ty)| inner(ty)).max().unwrap_or(0) + 8
                }
                Some(Item::Alias(ty)) => inner(ty),
                Some(Item::Texts(_)) | None => 1,
            }
        }
    }
}
